import type { Secret } from '@candela/contract';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { revealSecret } from '../../api/vault.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

/** A value stays in sight so long, and only while its tab is. */
const SHOWN_SECONDS = 30;

/**
 * The value of a secret, when it was asked for. It is held by this component alone, not by a query or a mutation,
 * and is let go of when the time is over, when the tab is left, and with the component.
 */
export function RevealedValue(props: {
  secret: Secret;
  /** A former one; absent: the one in force. */
  version?: number;
  /** The question stands there at once. */
  asks?: true;
}) {
  const { secret, version } = props;
  const { environment } = useShell();
  const [asking, setAsking] = useState(props.asks === true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [value, setValue] = useState<string>();
  const [left, setLeft] = useState(SHOWN_SECONDS);
  const there = useRef(true);
  const hide = useEffectEvent(() => setValue(undefined));
  const tick = useEffectEvent(() => (left <= 1 ? setValue(undefined) : setLeft(left - 1)));
  useEffect(() => {
    there.current = true;
    return () => {
      there.current = false;
    };
  }, []);
  const isShown = value !== undefined;
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = setInterval(() => tick(), 1_000);
    const left = () => document.visibilityState === 'hidden' && hide();
    const gone = () => hide();
    document.addEventListener('visibilitychange', left);
    // A page that the browser keeps for Back would keep the value, too.
    window.addEventListener('pagehide', gone);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', left);
      window.removeEventListener('pagehide', gone);
    };
  }, [isShown]);
  const reveal = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const told = await revealSecret(environment, secret.id, version);
      // Whoever left meanwhile does not want it any more.
      if (!there.current) return;
      setLeft(SHOWN_SECONDS);
      setValue(told);
      setAsking(false);
    } catch (thrown) {
      if (there.current) setError(thrown);
    } finally {
      if (there.current) setBusy(false);
    }
  };
  const what = version === undefined ? secret.key : `version ${version} of ${secret.key}`;
  return (
    <>
      {value === undefined ? (
        <div className="flex items-center gap-2">
          <span
            aria-hidden
            className="grow rounded-md border border-line bg-sunken px-2 py-1 font-mono text-muted"
          >
            ••••••••••••
          </span>
          <Button aria-label={`Reveal ${what}`} onClick={() => setAsking(true)}>
            Reveal
          </Button>
        </div>
      ) : (
        <div className="flex flex-col gap-1">
          <pre
            tabIndex={0}
            aria-label={`Value of ${what}`}
            className="max-h-60 overflow-auto rounded-md border border-line bg-sunken px-2 py-1.5 font-mono text-sm break-all whitespace-pre-wrap select-all"
          >
            {value}
          </pre>
          <div className="flex items-center gap-1">
            <p className="text-sm text-muted" role="timer">
              Hidden again in {left} s
            </p>
            <CopyButton label="Copy the value" text={() => value} className="ml-auto h-7 px-2">
              Copy
            </CopyButton>
            <Button onClick={() => setValue(undefined)}>Hide</Button>
          </div>
        </div>
      )}
      {asking && (
        <ConfirmDialog
          title={`Show the value of ${what}?`}
          action="Show it"
          busy={busy}
          error={error}
          onConfirm={() => void reveal()}
          onClose={() => {
            setAsking(false);
            setError(undefined);
          }}
        >
          <p>
            The audit log notes that you looked. The value is hidden again after {SHOWN_SECONDS} seconds, and
            when you leave.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
