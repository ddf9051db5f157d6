import { type ReactNode, useEffect, useRef } from 'react';
import { cx } from '../lib/cx.ts';

/**
 * A modal on the browser's own `dialog`: focus trap, inert page and Escape come with it. (The usual script-made
 * dialogs inject a style element, which our content security policy refuses.)
 */
export function Modal(props: {
  label: string;
  onClose: () => void;
  className?: string;
  /** Neither Escape nor a click beside it closes it. */
  stays?: true;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={props.label}
      onCancel={(event) => {
        event.preventDefault();
        if (!props.stays) props.onClose();
      }}
      onClick={(event) => !props.stays && event.target === ref.current && props.onClose()}
      className={cx(
        'mx-auto mt-[12vh] rounded-md outline-none border border-line bg-surface p-0 text-text shadow-pop',
        props.className,
      )}
    >
      {props.children}
    </dialog>
  );
}
