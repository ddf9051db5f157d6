import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';

/** Where somebody was led to last; a new one each time, also when it leads to where one is. */
export interface Jump {
  readonly spanId: string;
  /** Position in the tree; -1: the first span with that id. */
  readonly position: number;
  /** Of the span at that position, which moves on as the trace grows, to know it from others with its id. */
  readonly startTime?: string | undefined;
}

/**
 * Keeps the selected row of a list in sight: when another one is selected, when a jump leads to it again, and where rows
 * come in above it as the trace grows (`version` changes) or the list becomes lower, as where the text around a match
 * comes in above it; unless the reader has scrolled away from it.
 */
export function useReveal(
  virtual: Virtualizer<HTMLDivElement, Element>,
  list: { row: number; rowHeight: number; selected: string | undefined; jump: Jump; version: unknown },
): void {
  const { row, selected, jump, version } = list;
  const reveal = useEffectEvent(() => {
    if (row !== -1) virtual.scrollToIndex(row, { align: 'auto' });
  });
  useEffect(() => reveal(), [selected]);
  // Before the address has what was jumped to, that is not the selected one yet.
  const revealAgain = useEffectEvent(() => {
    if (jump.spanId === selected) reveal();
  });
  useEffect(() => revealAgain(), [jump]);
  const before = useRef({ row, selected, version });
  useLayoutEffect(() => {
    const was = before.current;
    before.current = { row, selected, version };
    if (was.version === version || was.selected !== selected || row === -1) return;
    const { range } = virtual;
    if (range && was.row >= range.startIndex && was.row <= range.endIndex)
      virtual.scrollToOffset((virtual.scrollOffset ?? 0) + (row - was.row) * list.rowHeight);
  });
  const keepInSight = useEffectEvent((heightBefore: number) => {
    const below = (row + 1) * list.rowHeight - (virtual.scrollOffset ?? 0);
    // It is drawn and measured in parts of a pixel.
    if (below >= list.rowHeight - 1 && below <= heightBefore + 1) reveal();
  });
  useEffect(() => {
    const box = virtual.scrollElement;
    if (!box) return undefined;
    let height = box.clientHeight;
    const observer = new ResizeObserver(() => {
      const before = height;
      height = box.clientHeight;
      if (height < before) keepInSight(before);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [virtual]);
}
