import { EXPORT_FILES, saveStream } from '../../lib/save-stream.ts';
import type { ExportFormat, ExportSignal } from '@candela/contract';
import { useEffect, useRef, useState } from 'react';
import type { CatalogueFilter } from '../../api/metrics.ts';
import { ApiError } from '../../api/client.ts';
import { openExport } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { exact, nounOf } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { Button } from '../../ui/button.tsx';

const FORMATS: readonly { readonly value: ExportFormat; readonly label: string; readonly note: string }[] = [
  { value: 'csv', label: 'CSV', note: 'for spreadsheets; one row a line' },
  { value: 'json', label: 'JSON Lines', note: 'one object a line, with all it holds' },
  { value: 'otlp', label: 'OTLP JSON', note: 'any OpenTelemetry door takes it again' },
];
const RECORDS: ReadonlySet<ExportSignal> = new Set(['spans', 'logs']);
const BOUNDS = [1_000, 10_000, 100_000] as const;

type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly bytes: number; readonly rows: number | undefined }
  | {
      readonly state: 'done';
      readonly bytes: number;
      readonly rows: number | undefined;
      readonly cut: boolean;
    }
  | { readonly state: 'failed'; readonly text: string };

/** Format and bound of an export, and how far it is; leaving it stops the download. */
export default function ExportForm(props: {
  signal: ExportSignal;
  scope: Scope;
  noun: string;
  metrics?: CatalogueFilter | undefined;
}) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [limit, setLimit] = useState<number>(10_000);
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  // Only records have an OTLP form: a row of another list is made of many of them.
  const formats = FORMATS.filter((one) => one.value !== 'otlp' || RECORDS.has(props.signal));
  const download = async () => {
    const control = new AbortController();
    abort.current = control;
    setProgress({ state: 'running', bytes: 0, rows: undefined });
    try {
      const { signal, metrics } = props;
      const narrowed = metrics === undefined ? {} : { metrics };
      const { headers, body } = await openExport(
        props.scope,
        { signal, format, limit, ...narrowed },
        control.signal,
      );
      const said = Number(headers.get('x-platform-export-rows') ?? Number.NaN);
      const rows = Number.isFinite(said) ? said : undefined;
      const bytes = await saveStream(
        body,
        `${props.noun}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${EXPORT_FILES[format].ending}`,
        EXPORT_FILES[format].type,
        (sofar) => setProgress({ state: 'running', bytes: sofar, rows }),
      );
      setProgress({ state: 'done', bytes, rows, cut: headers.get('x-platform-export-cut') === 'true' });
    } catch (thrown) {
      if (control.signal.aborted) setProgress({ state: 'idle' });
      else
        setProgress({
          state: 'failed',
          text:
            thrown instanceof ApiError
              ? thrown.message
              : 'The download broke off before its end; nothing was saved.',
        });
    }
  };
  const running = progress.state === 'running';
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void download();
      }}
    >
      <fieldset disabled={running}>
        <legend className="mb-1 text-sm text-muted">Format</legend>
        {formats.map((one) => (
          <label key={one.value} className="flex min-h-7 cursor-pointer items-center gap-2">
            <input
              type="radio"
              name="format"
              checked={format === one.value}
              onChange={() => setFormat(one.value)}
              className="accent-accent-fill"
            />
            <span className="shrink-0">{one.label}</span>{' '}
            <span className="text-sm text-muted">{one.note}</span>
          </label>
        ))}
      </fieldset>
      <fieldset disabled={running}>
        <legend className="mb-1 text-sm text-muted">
          At most, {props.signal === 'metrics' ? 'by name' : 'newest first'}
        </legend>
        <div className="flex gap-4">
          {BOUNDS.map((bound) => (
            <label key={bound} className="flex h-7 cursor-pointer items-center gap-1.5">
              <input
                type="radio"
                name="limit"
                checked={limit === bound}
                onChange={() => setLimit(bound)}
                className="accent-accent-fill"
              />
              {exact(bound)}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="flex items-center gap-2">
        <p role="status" className="min-w-0 grow text-sm text-muted">
          {progress.state === 'running' &&
            `${formatValue(progress.bytes, 'By')}${progress.rows === undefined ? '' : ` of ${exact(progress.rows)} ${nounOf(progress.rows, props.noun)}`} …`}
          {progress.state === 'done' &&
            `Saved ${progress.rows === undefined ? '' : `${exact(progress.rows)} ${nounOf(progress.rows, props.noun)}, `}${formatValue(progress.bytes, 'By')}.${progress.cut ? ' More match than the bound lets through.' : ''}`}
          {progress.state === 'failed' && <span className="text-danger">{progress.text}</span>}
        </p>
        {running && <Button onClick={() => abort.current?.abort()}>Stop</Button>}
        <Button look="primary" type="submit" disabled={running}>
          Download
        </Button>
      </div>
    </form>
  );
}
