import type { RulePreview, SpanRow } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { exact, formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { spanDurationCell, TimeCell } from '../explore/cells.tsx';

/** What the rule matches among the spans of the time range. */
export function PreviewPanel(props: {
  /** Why there is nothing to preview; undefined: there is. */
  idle: string | undefined;
  preview: RulePreview | undefined;
  /** Another answer is on its way. */
  fetching: boolean;
  error: unknown;
  onWhy: (span: SpanRow) => void;
}) {
  const { preview } = props;
  if (props.idle !== undefined) return <p className="text-muted">{props.idle}</p>;
  if (props.error !== null && props.error !== undefined) return <ErrorLine error={props.error} />;
  if (preview === undefined) return <SkeletonRows rows={4} label="Asking the spans" />;
  return (
    <div className="flex flex-col gap-3" aria-busy={props.fetching}>
      <Share preview={preview} />
      <section aria-label="Newest that match" className="flex min-w-0 flex-col gap-1">
        <h2 className="font-medium">Newest that match</h2>
        <Table
          label="Spans that match"
          rows={preview.newest}
          keyOf={(row) => `${row.traceId} ${row.spanId} ${row.startTime}`}
          empty={
            preview.newestSince === null
              ? 'None in this time range.'
              : 'None among the newest spans; there may be older ones.'
          }
          columns={[
            { label: 'Time', cell: (row) => <TimeCell iso={row.startTime} /> },
            { label: 'Service', cell: (row) => row.service },
            {
              label: 'Span',
              className: 'max-w-56 truncate',
              cell: (row) => (
                <Link
                  to="/traces/$traceId"
                  params={{ traceId: row.traceId }}
                  search={{ span: row.spanId }}
                  className="hover:underline"
                  title={row.name}
                >
                  {row.name}
                </Link>
              ),
            },
            { label: 'Model', cell: (row) => row.model ?? '' },
            { label: 'Duration', align: 'end', cell: spanDurationCell },
            {
              label: 'Why',
              align: 'end',
              cell: (row) => (
                <Button
                  className="h-6"
                  aria-label={`Why the span ${row.name} matches`}
                  onClick={() => props.onWhy(row)}
                >
                  Why?
                </Button>
              ),
            },
          ]}
        />
      </section>
    </div>
  );
}

/** `33.3 %`; what is there but rounds to nothing is less than a tenth. */
const percent = (share: number): string =>
  share > 0 && share < 0.001
    ? '< 0.1 %'
    : `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`;

/** How many match, in words and as a length; of a sample that is said. */
function Share({ preview: { total, seen, sampled, matched } }: { preview: RulePreview }) {
  const share = seen === 0 ? 0 : matched / seen;
  return (
    <div className="flex flex-col gap-1">
      <p role="status">
        <strong className="text-lg tabular-nums" title={exact(matched)}>
          {formatCount(matched)}
        </strong>{' '}
        of {sampled ? 'a sample of ' : ''}
        <span title={exact(seen)}>{formatCount(seen)}</span> spans match
        {seen > 0 && <span className="text-muted"> · {percent(share)}</span>}
      </p>
      <div className="h-1.5 overflow-hidden rounded bg-hover" aria-hidden>
        <div data-mark className="h-full bg-accent-fill" style={{ width: `${share * 100}%` }} />
      </div>
      {sampled && (
        <p className="text-sm text-muted">
          There are {formatCount(total)} spans in this time range. The rule was asked about pieces of them,
          spread evenly over it.
        </p>
      )}
    </div>
  );
}
