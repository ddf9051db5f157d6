import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.ts';

/** Pixels between a place and what is told of it. */
const GAP = 10;

/**
 * What is told of a place of a plot, right of it or left of it; never catches the pointer. Where there is too little room lines are cut, and
 * where there is hardly any it moves over the place: it stays within the plot, however narrow that is.
 */
export function BesidePlace(props: {
  /** Where the place begins and ends, 0..1 over the plot. */
  from: number;
  to: number;
  testId: string;
  children: ReactNode;
}) {
  const isLeft = props.from > 0.55;
  const room = isLeft ? props.from : 1 - props.to;
  const away = <div style={{ flexBasis: `calc(${(1 - room) * 100}% + ${GAP}px)` }} />;
  return (
    <div
      aria-hidden
      className={cx('pointer-events-none absolute inset-x-0 top-1 z-30 flex', isLeft && 'justify-end')}
    >
      {!isLeft && away}
      <div
        data-testid={props.testId}
        className="shrink-0 self-start rounded-md border border-line bg-surface px-2 py-1.5 text-sm shadow-pop"
        style={{ maxWidth: `min(30rem, 100%, max(18rem, ${room * 100}% - ${GAP}px))` }}
      >
        {props.children}
      </div>
      {isLeft && away}
    </div>
  );
}
