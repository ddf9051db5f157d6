import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { anyTraceQuery } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { snippets } from './snippets.ts';

/** A project without traces: what to paste, and a page that turns live by itself. */
export function FirstTrace({ environment }: { environment: string | undefined }) {
  const [chosen, setChosen] = useState(0);
  const { data: arrived } = useQuery({
    ...anyTraceQuery(environment),
    staleTime: 0,
    refetchInterval: (query) => (query.state.data === true ? false : 2_000),
  });
  const all = snippets(location.origin);
  const snippet = all[chosen] ?? all[0];
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4 px-6 py-12">
      <title>Traces · Candela</title>
      <div>
        <h1 className="text-xl font-semibold">Send the first trace</h1>
        <p className="text-muted">
          Any OpenTelemetry SDK will do. Paste one of these; this page shows the trace as soon as it arrives.
        </p>
      </div>
      <div className="rounded-md border border-line bg-surface">
        <div className="flex items-center border-b border-line px-1">
          <div role="tablist" aria-label="Ways to send" className="flex">
            {all.map((entry, index) => (
              <button
                key={entry.label}
                type="button"
                role="tab"
                id={`way-${index}`}
                aria-selected={index === chosen}
                aria-controls="way"
                onClick={() => setChosen(index)}
                className={cx(
                  'h-9 border-b-2 px-3',
                  index === chosen ? 'border-accent-fill' : 'border-transparent text-muted hover:text-text',
                )}
              >
                {entry.label}
              </button>
            ))}
          </div>
          <CopyButton label="Copy the snippet" text={() => snippet?.text ?? ''} className="ml-auto h-6" />
        </div>
        <pre
          id="way"
          role="tabpanel"
          aria-labelledby={`way-${chosen}`}
          tabIndex={0}
          className="max-h-96 overflow-auto p-3 font-mono text-sm whitespace-pre"
        >
          {snippet?.text}
        </pre>
        <p className="border-t border-line px-3 py-2 text-sm text-muted">{snippet?.note}</p>
      </div>
      <p role="status" className="flex items-center gap-2 text-muted">
        <span className="skeleton size-2 rounded-full bg-accent-fill" aria-hidden />
        {arrived ? 'The first trace is here.' : 'Waiting for the first trace …'}
      </p>
    </div>
  );
}
