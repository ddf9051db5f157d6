import type { ComponentProps } from 'react';
import { cx } from '../lib/cx.ts';

type Look = 'plain' | 'outline' | 'primary' | 'danger';

const LOOKS: Record<Look, string> = {
  plain: 'text-muted hover:bg-hover hover:text-text',
  outline: 'border border-line bg-surface hover:bg-hover',
  primary: 'bg-accent-fill text-on-accent font-medium hover:brightness-105',
  danger: 'border border-danger/50 bg-danger-soft font-medium text-danger hover:border-danger',
};

/**
 * A button of 28 px, which a finger may miss by six; give `aria-label` when it holds only an icon. While it is `busy` with
 * what it was pressed for it does nothing more, and keeps the focus, which a disabled one loses.
 */
export function Button({
  look = 'outline',
  className,
  busy = false,
  ...rest
}: ComponentProps<'button'> & { look?: Look; busy?: boolean }) {
  return (
    <button
      type="button"
      className={cx(
        'relative inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 whitespace-nowrap disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50',
        'pointer-coarse:after:absolute pointer-coarse:after:inset-x-0 pointer-coarse:after:-inset-y-1.5',
        'data-[state=open]:bg-hover aria-pressed:bg-selected aria-pressed:text-text',
        LOOKS[look],
        className,
      )}
      {...rest}
      {...(busy
        ? { 'aria-busy': true, 'aria-disabled': true, onClick: (event) => event.preventDefault() }
        : {})}
    />
  );
}
