import type { ReactNode } from 'react';
import { cx } from '../lib/cx.ts';
import { MiddleTruncation } from './middle-truncation.tsx';

/** What is known about the thing of a page, in one line that wraps; holds `Fact`s. */
export function Facts(props: {
  className?: string;
  /** Where there is little room it does not wrap, but scrolls sideways: what stands below is what was opened. */
  oneLine?: true;
  children: ReactNode;
}) {
  return (
    <dl
      // What scrolls must be reached by keys.
      {...(props.oneLine ? { tabIndex: 0, 'aria-label': 'Facts' } : {})}
      className={cx(
        'flex flex-wrap gap-x-5 gap-y-0.5 text-sm',
        props.oneLine &&
          'max-sm:flex-nowrap max-sm:overflow-x-auto low:flex-nowrap low:overflow-x-auto [&>div]:max-sm:shrink-0 low:[&>div]:shrink-0',
        props.className,
      )}
    >
      {props.children}
    </dl>
  );
}

/** A text that is one name, no list of them. */
export const isName = (text: ReactNode): text is string => typeof text === 'string' && !text.includes(', ');

/** A name and its value, close together; the title holds what is cut or rounded. */
export function Fact(props: { label: string; title?: string | undefined; children: ReactNode }) {
  return (
    <div className="flex max-w-full min-w-0 gap-1.5" title={props.title}>
      <dt className="shrink-0 text-muted">{props.label}</dt>
      <dd className="max-w-96 truncate">
        {isName(props.children) ? <MiddleTruncation name={props.children} /> : props.children}
      </dd>
    </div>
  );
}
