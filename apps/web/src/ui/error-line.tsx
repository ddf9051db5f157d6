import { ApiError } from '../api/client.ts';
import { cx } from '../lib/cx.ts';

/** What an action was refused with, and the id to quote when it is the server's fault. */
export function ErrorLine({ error, className }: { error: unknown; className?: string }) {
  if (error === null || error === undefined) return null;
  const said = error instanceof Error ? error.message : 'Something unexpected happened in this page.';
  const quoted = error instanceof ApiError && error.status >= 500 && error.requestId !== '';
  return (
    <p role="alert" className={cx('text-sm text-danger', className)}>
      {said}
      {quoted && (
        <>
          {' '}
          Request <code className="font-mono">{error.requestId}</code>.
        </>
      )}
    </p>
  );
}
