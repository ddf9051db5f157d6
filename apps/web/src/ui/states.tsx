import { CircleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { ApiError } from '../api/client.ts';
import { cx } from '../lib/cx.ts';
import { transfersFocus } from '../lib/transfer-focus.ts';
import { useRetry } from '../lib/use-retry.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

// Hardly anybody ever sees it.
const NoPermission = lazy(() => import('./no-permission.tsx'));

/** The designed middle of a page that has nothing to show. */
export function Notice(props: { icon?: ReactNode; title: string; children?: ReactNode; alert?: boolean }) {
  return (
    <div
      ref={transfersFocus}
      data-testid="notice"
      role={props.alert ? 'alert' : undefined}
      className="mx-auto flex max-w-xl flex-col items-center gap-2 px-6 py-16 text-center"
    >
      {props.icon}
      <h2 className="text-lg font-semibold">{props.title}</h2>
      <div className="flex max-w-full flex-col items-center gap-3 text-muted">{props.children}</div>
    </div>
  );
}

/** What the browsers say when a file of the page could not be had: after an upgrade it is gone, offline it never came. */
const PART_MISSING =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/i;

/** Shows what the server said, with the id to quote; 401 and 403 become the no-permission state. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const again = useRetry(error, onRetry);
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    return (
      <Suspense>
        <NoPermission error={error} onRetry={onRetry} />
      </Suspense>
    );
  if (error instanceof Error && PART_MISSING.test(error.message)) return <PartMissing />;
  const requestId = error instanceof ApiError ? error.requestId : '';
  return (
    <Notice icon={<CircleAlert className="text-danger" aria-hidden />} title="This could not be loaded">
      {/* Not the id, which is another one with every try: it would be read out each time. */}
      <p role="alert">
        {error instanceof Error ? error.message : 'Something unexpected happened in this page.'}
      </p>
      {requestId !== '' && (
        <p className="flex items-center gap-1 text-sm">
          Request <code className="font-mono">{requestId}</code>
          <CopyButton label="Copy request id" text={() => requestId} />
        </p>
      )}
      <Button busy={again.asking} onClick={again.ask}>
        Try again
      </Button>
      {again.byItself && <p className="text-sm">This page tries again by itself.</p>}
    </Notice>
  );
}

/**
 * A part of a page that could not be loaded, in its own place: what it is, why, and the way to try again; the rest of
 * the page goes on.
 */
export function FailureLine(props: {
  what: string;
  error: unknown;
  onRetry: () => void;
  className?: string;
}) {
  const { error } = props;
  const again = useRetry(error, props.onRetry);
  const requestId = error instanceof ApiError ? error.requestId : '';
  return (
    <p ref={transfersFocus} role="alert" className={cx('text-sm text-muted', props.className)}>
      {props.what} could not be loaded. {error instanceof ApiError && <span>{error.message} </span>}
      <button
        type="button"
        className="text-accent underline aria-busy:opacity-60"
        aria-busy={again.asking}
        title={requestId === '' ? undefined : `Request ${requestId}`}
        onClick={again.ask}
      >
        Try again
      </button>
    </p>
  );
}

/** Over a page that shows what it has because what is newer could not be had; null: nothing failed. */
export function NotRefreshed(props: { error: unknown; onRetry: () => void; className?: string }) {
  if (props.error === null) return null;
  return (
    <FailureLine
      what="What is newer"
      error={props.error}
      onRetry={props.onRetry}
      className={cx('shrink-0 border-b border-line bg-selected px-3 py-1', props.className)}
    />
  );
}

/** Asking again for the same file answers the same; the page has to be loaded anew, and its address holds what was open. */
function PartMissing() {
  return (
    <Notice
      alert
      icon={<CircleAlert className="text-danger" aria-hidden />}
      title="A part of this page did not come"
    >
      <p>
        Either the connection was interrupted, or Candela was upgraded since this page was opened. What is in
        the address stays as it is.
      </p>
      <Button onClick={() => location.reload()}>Load the page again</Button>
    </Notice>
  );
}

/** Grey rows in the shape of a list, while the first page is under way. */
export function SkeletonRows({ rows = 12, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-3">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex gap-4">
          <div className="skeleton h-4 w-24" />
          <div className="skeleton h-4 grow" style={{ maxWidth: `${32 + ((index * 37) % 40)}%` }} />
          <div className="skeleton ml-auto h-4 w-32" />
        </div>
      ))}
    </div>
  );
}
