import { createLink } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../lib/cx.ts';
import { MiddleTruncation } from './middle-truncation.tsx';
import { CopyButton } from './copy-button.tsx';

function BackArrow({ label, ...rest }: ComponentProps<'a'> & { label: string }) {
  return (
    <a
      {...rest}
      // What lies above this page is not this page, whatever the router makes of its address.
      aria-current={undefined}
      aria-label={label}
      title={label}
      className="shrink-0 rounded p-1 text-muted hover:bg-hover hover:text-text"
    >
      <ArrowLeft size={15} aria-hidden />
    </a>
  );
}

/** The arrow before a name that leads to the list it came from. */
export const BackLink = createLink(BackArrow);

/** Head of a page about one thing: the way back, what it is, its name to copy; tabs in the middle, links at the end. */
export function PageHead(props: {
  back: ReactNode;
  kind: string;
  name: string;
  /** The name is an id. */
  mono?: boolean;
  /** What the button copies, for its label. */
  copy: string;
  children?: ReactNode;
  aside?: ReactNode;
}) {
  const { name } = props;
  return (
    <header className="flex min-h-11 shrink-0 items-center gap-2 border-b border-line px-3 max-lg:flex-wrap">
      <div className="flex h-10 max-w-full min-w-0 items-center gap-2">
        {props.back}
        <h1 className="flex min-w-0 items-baseline gap-2 text-lg font-semibold">
          {props.kind}
          <MiddleTruncation name={name} className={cx('font-normal', props.mono && 'font-mono text-base')} />
        </h1>
        <CopyButton label={`Copy the ${props.copy}`} text={() => name} />
      </div>
      {props.children}
      {props.aside !== undefined && (
        <div className="ml-auto flex shrink-0 items-center gap-x-3 py-1.5 max-lg:max-w-full max-lg:flex-wrap max-lg:justify-end">
          {props.aside}
        </div>
      )}
    </header>
  );
}
