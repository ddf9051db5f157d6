import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import { cx } from '../lib/cx.ts';
import { type Align, Floating } from './floating.tsx';

/** What of a row the arrows walk. */
const OFFER = 'button:not(:disabled), a[href]';
const offerOf = (row: Element | null): HTMLElement | null => row?.querySelector<HTMLElement>(OFFER) ?? null;

/** Where an arrow leads from a row of the lists: up and down along all of them, left and right to the list beside. */
function neighbour(lists: readonly (readonly HTMLElement[])[], from: HTMLElement | null, key: string) {
  const all = lists.flat();
  const at = from === null ? -1 : all.indexOf(from);
  if (key === 'ArrowDown') return all[(at + 1) % all.length];
  if (from === null || at === -1) return undefined;
  if (key === 'ArrowUp') return all.at(at - 1);
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  const list = lists.findIndex((one) => one.includes(from));
  const beside = lists[list + (key === 'ArrowLeft' ? -1 : 1)];
  return beside?.[Math.min(lists[list]?.indexOf(from) ?? 0, beside.length - 1)];
}

/** Arrows walk what the lists of a panel offer; a field keeps its own. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (!(target instanceof HTMLElement) || target.matches('input, textarea, select')) return;
  const lists = [...currentTarget.querySelectorAll('ul')]
    .map((list) => [...list.children].flatMap((row) => offerOf(row) ?? []))
    .filter((list) => list.length > 0);
  const to = neighbour(lists, offerOf(target.closest('li')), event.key);
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  to.focus();
}

/** A panel anchored to its trigger; Escape and a click outside close it, focus returns to the trigger. */
export function Popover(props: {
  trigger: ComponentProps<typeof Floating>['trigger'];
  label: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: Align;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Floating
      trigger={props.trigger}
      role="dialog"
      label={props.label}
      open={props.open}
      onOpenChange={props.onOpenChange}
      align={props.align ?? 'end'}
      className={cx('max-h-[min(560px,80vh)]', props.className)}
      // A field that is there to be filled, else the choice in force, is where the keyboard begins.
      firstFocus={(panel) =>
        panel.querySelector<HTMLElement>('[data-first]') ??
        panel.querySelector<HTMLElement>('[aria-current="true"]')
      }
      onKeyDown={walk}
    >
      {props.children}
    </Floating>
  );
}
