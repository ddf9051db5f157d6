import { Check, Copy, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { cx } from '../lib/cx.ts';

const SAID = { idle: '', done: 'Copied', failed: 'It could not be copied' };

/** Copies `text()`; the icon tells for a moment whether it did. */
export function CopyButton(props: {
  label: string;
  text: () => string | Promise<string>;
  /** Stands for what is copied, where it is not the text beside. */
  icon?: ReactNode;
  children?: string;
  className?: string;
}) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), 1_500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (button: HTMLElement) =>
    setState((await writeClipboard(props.text, button)) ? 'done' : 'failed');
  return (
    <>
      <button
        type="button"
        aria-label={props.label}
        title={state === 'failed' ? 'The browser refused to copy' : props.label}
        onClick={(event) => {
          event.stopPropagation();
          void copy(event.currentTarget);
        }}
        className={cx(
          'inline-flex min-w-6 shrink-0 items-center justify-center gap-1 rounded px-1 text-muted hover:bg-hover hover:text-text',
          props.className ?? 'h-6',
        )}
      >
        {state === 'done' ? (
          <Check size={13} className="text-ok" aria-hidden />
        ) : state === 'failed' ? (
          <X size={13} className="text-danger" aria-hidden />
        ) : (
          (props.icon ?? <Copy size={13} aria-hidden />)
        )}
        {props.children !== undefined && <span className="text-sm">{props.children}</span>}
      </button>
      {/* Beside the button: what is in one is its name, and no news. */}
      <span className="sr-only" aria-live="polite">
        {SAID[state]}
      </span>
    </>
  );
}

/** Clipboard API needs a secure context; a plain-HTTP host falls back to the selection command. */
async function writeClipboard(make: () => string | Promise<string>, button: HTMLElement): Promise<boolean> {
  let text: string;
  try {
    const made = make();
    if (await writePromised(made)) return true;
    text = await made;
  } catch {
    return false;
  }
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, button);
  }
}

/**
 * What is not made yet has to be promised within the press of the button: once it was waited for, Safari takes the copying
 * for something that nobody asked for. False: this browser cannot, or refused.
 */
async function writePromised(made: string | Promise<string>): Promise<boolean> {
  if (typeof made === 'string' || typeof ClipboardItem === 'undefined') return false;
  const type = 'text/plain';
  const blob = made.then((text) => new Blob([text], { type }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
    return true;
  } catch {
    return false;
  }
}

function copySelected(text: string, button: HTMLElement): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.tabIndex = -1;
  area.className = 'fixed opacity-0';
  // Beside the button: below a dialog nothing can be selected, and a popover closes when the focus leaves it.
  button.after(area);
  area.focus({ preventScroll: true });
  area.select();
  const done = document.execCommand('copy');
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  area.remove();
  return done;
}
