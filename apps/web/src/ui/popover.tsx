import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '../lib/cx.ts';

/** A panel anchored to its trigger; Escape and a click outside close it, focus returns to the trigger. */
export function Popover(props: {
  trigger: ReactNode;
  label: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: 'start' | 'end';
  className?: string;
  children: ReactNode;
}) {
  const control =
    props.open === undefined ? {} : { open: props.open, onOpenChange: props.onOpenChange ?? (() => {}) };
  return (
    <Radix.Root {...control}>
      <Radix.Trigger asChild>{props.trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={props.label}
          align={props.align ?? 'end'}
          sideOffset={4}
          collisionPadding={8}
          // The choice in force is where the keyboard begins.
          onOpenAutoFocus={(event) => {
            const chosen = (event.target as HTMLElement).querySelector<HTMLElement>('[aria-current="true"]');
            if (!chosen) return;
            event.preventDefault();
            chosen.focus();
          }}
          className={cx(
            'z-50 max-h-[min(560px,80vh)] overflow-auto rounded-md border border-line bg-surface shadow-pop outline-none',
            props.className,
          )}
        >
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
