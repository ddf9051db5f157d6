import type { LogRow } from '@candela/contract';
import { oneLine, structuredLine } from './log-text.ts';

/** Characters of a line in a list; the record itself has the rest. */
const MOST_LINE = 600;

/** What a record says, on one line. */
export function Line({ row }: { row: LogRow }) {
  // Some events repeat their name as their body.
  const body = row.body === row.eventName ? '' : row.body;
  const structured = structuredLine(body);
  const text = structured === undefined ? oneLine(body) : '';
  return (
    <span className="font-mono text-sm">
      {row.eventName !== null && (
        <span className="mr-1.5 rounded bg-sunken px-1 text-muted">{row.eventName}</span>
      )}
      {structured === undefined ? (
        text.slice(0, MOST_LINE)
      ) : (
        <>
          {structured.message.slice(0, MOST_LINE)}{' '}
          <span className="text-muted">{structured.rest.slice(0, MOST_LINE)}</span>
        </>
      )}
      {row.body === '' && row.eventName === null && <span className="text-muted">empty body</span>}
    </span>
  );
}
