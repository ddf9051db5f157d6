import { QueryClientContext } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { use, useState } from 'react';
import { type ApiError, setTabKey, tabKey } from '../api/client.ts';
import { Button } from './button.tsx';
import { Notice } from './states.tsx';

/** Instead of what a key, a session or nobody may read: why, and the way to be somebody else. */
export default function NoPermission({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  const [key, setKey] = useState('');
  const client = use(QueryClientContext);
  const takeKey = (next: string) => {
    setTabKey(next);
    // What was answered before was answered to somebody else.
    void client?.resetQueries();
    onRetry();
  };
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
          takeKey(key.trim());
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
        {tabKey() !== '' && <Button onClick={() => takeKey('')}>Forget key</Button>}
      </form>
      <p className="text-sm">The key stays in this tab and is forgotten when the tab closes.</p>
    </Notice>
  );
}
