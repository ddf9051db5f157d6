import { useMemo, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { foldedStack, type StackPart, stackParts } from './stack-trace.ts';

/** A stack trace: frames of the application stand out, those of libraries are folded. */
export function StackView({ text, cut }: { text: string; cut: boolean }) {
  const [whole, setWhole] = useState(false);
  const parts = useMemo(() => stackParts(text), [text]);
  const folded = useMemo(() => foldedStack(parts), [parts]);
  const hasLibrary = parts.some((part) => part.kind === 'library');
  return (
    <div className="rounded-md border border-line bg-surface">
      <div className="flex items-center gap-2 border-b border-line px-3 py-1">
        <h2 className="font-medium">Stack trace</h2>
        <span className="text-sm text-muted">
          of the latest occurrence that has one
          {cut && '; too long to be shown here, the whole is where it was recorded'}
        </span>
        <span className="ml-auto flex items-center gap-1">
          {hasLibrary && (
            <button
              type="button"
              aria-pressed={whole}
              onClick={() => setWhole(!whole)}
              className="rounded px-1.5 text-sm text-muted hover:bg-hover aria-pressed:text-text"
            >
              Library frames
            </button>
          )}
          <CopyButton label="Copy the stack trace" text={() => text} />
        </span>
      </div>
      <div
        className="max-h-[32rem] overflow-auto py-1 font-mono text-sm"
        tabIndex={0}
        role="region"
        aria-label="Stack trace"
      >
        {whole
          ? parts.map((part, index) => <Lines key={index} part={part} />)
          : folded.map((part, index) =>
              part.kind === 'folded' ? (
                <Folded key={index} frames={part.frames} />
              ) : (
                <Lines key={index} part={part} />
              ),
            )}
      </div>
    </div>
  );
}

function Lines({ part }: { part: StackPart }) {
  return (
    <pre
      className={cx(
        'border-l-2 px-3 whitespace-pre',
        part.kind === 'app' ? 'border-l-accent-fill' : 'border-l-transparent',
        part.kind === 'library' && 'text-muted',
      )}
    >
      {part.lines.join('\n')}
    </pre>
  );
}

function Folded({ frames }: { frames: readonly StackPart[] }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="px-3 font-sans text-sm text-muted hover:text-text"
      >
        {open ? '▾' : '▸'} {frames.length === 1 ? '1 library frame' : `${frames.length} library frames`}
      </button>
      {open && frames.map((part, index) => <Lines key={index} part={part} />)}
    </>
  );
}
