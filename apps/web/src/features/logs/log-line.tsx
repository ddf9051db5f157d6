import type { LogRow } from '@candela/contract';
import { oneLine, structuredLine } from './log-text.ts';

/** Characters of a line in a list; the record itself has the rest. */
const MOST_LINE = 600;

/** What a record says, on one line; `whole`: all that a list is given of it, where lines wrap. */
export function Line({ row, whole = false }: { row: LogRow; whole?: boolean }) {
  const most = whole ? Number.POSITIVE_INFINITY : MOST_LINE;
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
        text.slice(0, most)
      ) : (
        <>
          {structured.message.slice(0, most)}{' '}
          <span className="text-muted">{structured.rest.slice(0, most)}</span>
        </>
      )}
      {row.body === '' && row.eventName === null && <span className="text-muted">empty body</span>}
    </span>
  );
}
