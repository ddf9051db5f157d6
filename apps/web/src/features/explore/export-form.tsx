import type { ExportFormat, ExportKind } from '@candela/contract';
import { useState } from 'react';
import { addressOf, tabKey } from '../../api/client.ts';
import { exportRequest } from '../../api/explore.ts';
import type { CatalogueFilter } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { curlOf } from '../../lib/curl.ts';
import { exact } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { exportColumns } from './export-columns.ts';
import { startExport, stopExport } from './export-download.ts';
import { useExportProgress } from './export-progress.ts';

const FORMATS: readonly { readonly value: ExportFormat; readonly label: string; readonly note: string }[] = [
  { value: 'csv', label: 'CSV', note: 'for spreadsheets; one row a line' },
  { value: 'json', label: 'JSON Lines', note: 'one object a line' },
  { value: 'otlp', label: 'OTLP JSON', note: 'any OpenTelemetry receiver takes it again' },
];
const RECORDS: ReadonlySet<ExportKind> = new Set(['spans', 'logs']);
const BOUNDS = [1_000, 10_000, 100_000] as const;

export interface ExportAbout {
  readonly signal: ExportKind;
  readonly scope: Scope;
  /** What the rows are, in the plural. */
  readonly noun: string;
  /** Ids of the columns that the page shows, where they can be chosen. */
  readonly columns?: readonly string[] | undefined;
  /** What narrows the catalogue of metrics. */
  readonly metrics?: CatalogueFilter | undefined;
}

/** Format, columns and bound of an export, and how far it is. */
export default function ExportForm({ signal, scope, noun, columns, metrics }: ExportAbout) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [limit, setLimit] = useState<number>(10_000);
  const [picked, setPicked] = useState<'shown' | 'all'>();
  const progress = useExportProgress();
  const running = progress.state === 'running';
  // A browser has its cookie; a shell needs a key wherever somebody signs in.
  const { person } = useWhoAsks();
  // Only records have an OTLP form: a row of another list is made of many of them.
  const formats = FORMATS.filter((one) => one.value !== 'otlp' || RECORDS.has(signal));
  // A table is what is on screen; objects are for programs, which take what they need.
  const choice = picked ?? (format === 'csv' ? 'shown' : 'all');
  const chosen =
    columns === undefined || format === 'otlp' ? undefined : exportColumns(signal, format, choice, columns);
  const options = {
    signal,
    format,
    limit,
    ...(chosen === undefined ? {} : { columns: chosen }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  const command = () =>
    `${curlOf(location.origin, addressOf('exportRows'), {
      environment: scope.environment,
      needsKey: person !== undefined || tabKey() !== '',
      body: exportRequest(scope, options),
    })} -OJ`;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void startExport(scope, options, noun);
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
      {columns !== undefined && format !== 'otlp' && (
        <Choice
          legend="Columns"
          disabled={running}
          values={['shown', 'all']}
          value={choice}
          labelOf={(value) =>
            value === 'shown' ? 'As on the page' : format === 'csv' ? 'All fields' : 'All it holds'
          }
          onChoose={setPicked}
        />
      )}
      <Choice
        legend={`At most, ${signal === 'metrics' ? 'by name' : 'newest first'}`}
        disabled={running}
        values={BOUNDS}
        value={limit}
        labelOf={exact}
        onChoose={setLimit}
      />
      {running && <p className="text-sm text-muted">{progress.text}</p>}
      {/* Of one that runs no figures, which change all the time: they would be read out each time. */}
      <p role="status" className={running ? 'sr-only' : 'text-sm text-muted empty:-mt-3'}>
        {running ? (
          'The export is running'
        ) : progress.state === 'failed' ? (
          <span className="text-danger">{progress.text}</span>
        ) : (
          progress.text
        )}
      </p>
      <div className="flex items-center gap-2">
        <CopyButton label="Copy as cURL" text={command} className="mr-auto h-7">
          cURL
        </CopyButton>
        {running && <Button onClick={stopExport}>Stop</Button>}
        <Button look="primary" type="submit" disabled={running}>
          Download
        </Button>
      </div>
    </form>
  );
}

/** One of a few, on a line. */
function Choice<T extends string | number>(props: {
  legend: string;
  disabled: boolean;
  values: readonly T[];
  value: T;
  labelOf: (value: T) => string;
  onChoose: (value: T) => void;
}) {
  return (
    <fieldset disabled={props.disabled}>
      <legend className="mb-1 text-sm text-muted">{props.legend}</legend>
      <div className="flex gap-4">
        {props.values.map((value) => (
          <label key={value} className="flex h-7 cursor-pointer items-center gap-1.5">
            <input
              type="radio"
              name={props.legend}
              checked={value === props.value}
              onChange={() => props.onChoose(value)}
              className="accent-accent-fill"
            />
            {props.labelOf(value)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
