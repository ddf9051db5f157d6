import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../lib/cx.ts';
import { type Align, Floating } from './floating.tsx';

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
      // The choice in force is where the keyboard begins.
      firstFocus={(panel) => panel.querySelector<HTMLElement>('[aria-current="true"]')}
    >
      {props.children}
    </Floating>
  );
}
