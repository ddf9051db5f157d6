import { lazy, Suspense } from 'react';
import { cx } from '../lib/cx.ts';
import type { CodeEditorProps } from './code-editor-view.tsx';

const CodeEditorView = lazy(() => import('./code-editor-view.tsx'));

/** A text of many lines with line numbers and marks; what draws it comes when it is first needed. */
export function CodeEditor({ className, ...props }: CodeEditorProps & { className?: string }) {
  return (
    <div
      className={cx(
        'flex min-h-24 min-w-0 flex-col overflow-hidden rounded-md border border-line bg-surface focus-within:border-accent-fill',
        className,
      )}
    >
      <Suspense
        fallback={<div role="status" aria-label={`Loading ${props.label}`} className="skeleton grow" />}
      >
        <CodeEditorView {...props} />
      </Suspense>
    </div>
  );
}
