import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { cx } from '../lib/cx.ts';

/** Copies `text()`; the icon confirms for a moment. */
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
  const copy = async () => setState((await writeClipboard(props.text)) ? 'done' : 'failed');
  return (
    <button
      type="button"
      aria-label={props.label}
      title={state === 'failed' ? 'This could not be copied' : props.label}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
      className={cx(
        'inline-flex min-w-6 shrink-0 items-center justify-center gap-1 rounded px-1 text-muted hover:bg-hover hover:text-text',
        props.className ?? 'h-6',
      )}
    >
      {state === 'done' ? (
        <Check size={13} className="text-ok" aria-hidden />
      ) : (
        (props.icon ?? <Copy size={13} aria-hidden />)
      )}
      {props.children !== undefined && <span className="text-sm">{props.children}</span>}
      <span className="sr-only" aria-live="polite">
        {state === 'done' ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** Clipboard API needs a secure context; a plain-HTTP host falls back to the selection command. */
async function writeClipboard(make: () => string | Promise<string>): Promise<boolean> {
  let text: string;
  try {
    text = await make();
  } catch {
    return false;
  }
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
