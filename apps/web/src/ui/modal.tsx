import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { cx } from '../lib/cx.ts';
import { triggerOf } from './floating.tsx';

/** What has the focus, and the buttons of the popovers that it is in: a modal closes those, and what they held is gone. */
function waysBack(): HTMLElement[] {
  const ways: HTMLElement[] = [];
  let at = document.activeElement;
  while (at instanceof HTMLElement) {
    ways.push(at);
    const popover = at.closest('[popover]');
    at = popover && triggerOf(popover.id);
  }
  return ways;
}

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
  // Before the page is drawn: no key gets past it to the page, also where one takes the place of another.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const back = waysBack();
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      back.find((element) => {
        element.focus();
        return document.activeElement === element;
      });
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
        'mx-auto mt-[12vh] rounded-md font-sans outline-none border border-line bg-surface p-0 text-text shadow-pop',
        props.className,
      )}
    >
      {props.children}
    </dialog>
  );
}
