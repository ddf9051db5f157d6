import { CircleAlert, KeyRound } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { ApiError, setTabKey, tabKey } from '../api/client.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

/** The designed middle of a page that has nothing to show. */
export function Notice(props: { icon?: ReactNode; title: string; children?: ReactNode; alert?: boolean }) {
  return (
    <div
      data-testid="notice"
      role={props.alert ? 'alert' : undefined}
      className="mx-auto flex max-w-xl flex-col items-center gap-2 px-6 py-16 text-center"
    >
      {props.icon}
      <h2 className="text-lg font-semibold">{props.title}</h2>
      <div className="flex flex-col items-center gap-3 text-muted">{props.children}</div>
    </div>
  );
}

const RETRY_MS = 4_000;

/** Shows what the server said, with the id to quote; 401 and 403 become the no-permission state. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const heals = error instanceof ApiError && (error.status === 0 || error.status === 503);
  const retry = useEffectEvent(onRetry);
  useEffect(() => {
    if (!heals) return undefined;
    const timer = setInterval(() => retry(), RETRY_MS);
    return () => clearInterval(timer);
  }, [heals]);
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    return <NoPermission error={error} onRetry={onRetry} />;
  const requestId = error instanceof ApiError ? error.requestId : '';
  return (
    <Notice alert icon={<CircleAlert className="text-danger" aria-hidden />} title="This could not be loaded">
      <p>{error instanceof Error ? error.message : 'Something unexpected happened in this page.'}</p>
      {requestId !== '' && (
        <p className="flex items-center gap-1 text-sm">
          Request <code className="font-mono">{requestId}</code>
          <CopyButton label="Copy request id" text={() => requestId} />
        </p>
      )}
      <Button onClick={onRetry}>Try again</Button>
      {heals && <p className="text-sm">This page tries again by itself.</p>}
    </Notice>
  );
}

function NoPermission({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  const [key, setKey] = useState('');
  // Somebody who is signed in, or was until now, is not helped by a key.
  if (tabKey() === '')
    return (
      <Notice
        alert
        icon={<KeyRound className="text-accent" aria-hidden />}
        title={error.status === 401 ? 'Nobody is signed in' : 'This is not yours to see'}
      >
        <p>{error.message}</p>
        {error.status === 401 && (
          <a href="/sign-in" className="text-accent underline">
            Sign in
          </a>
        )}
      </Notice>
    );
  return (
    <Notice
      alert
      icon={<KeyRound className="text-accent" aria-hidden />}
      title={error.status === 401 ? 'An API key is needed' : 'This key may not read here'}
    >
      <p>{error.message}</p>
      {error.status === 401 && (
        <a href="/sign-in" className="text-accent underline">
          Sign in with an account
        </a>
      )}
      <form
        className="flex w-full max-w-md gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setTabKey(key.trim());
          onRetry();
        }}
      >
        <input
          type="password"
          autoComplete="off"
          aria-label="API key"
          placeholder="pk_…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          className="h-7 grow rounded-md border border-line bg-surface px-2 font-mono text-sm text-text"
        />
        <Button look="primary" type="submit" disabled={key.trim() === ''}>
          Use this key
        </Button>
        {tabKey() !== '' && (
          <Button
            onClick={() => {
              setTabKey('');
              onRetry();
            }}
          >
            Forget key
          </Button>
        )}
      </form>
      <p className="text-sm">The key stays in this tab and is forgotten when the tab closes.</p>
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
