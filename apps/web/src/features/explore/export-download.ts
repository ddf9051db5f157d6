import type { ExportFormat } from '@candela/contract';
import { ApiError } from '../../api/client.ts';
import { type ExportOptions, openExport } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { exact, nounOf } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { EXPORT_FILES, gather, saveFile, TooLargeToSave } from '../../lib/save-stream.ts';
import { tellProgress } from './export-progress.ts';

const TELL_MS = 100;
const QUOTE = 34;
const LINE_END = 10;
/** Excel takes a file without it for one of an old encoding. Who fetches the file without a browser wants the bare text. */
const UTF8_MARK = '\uFEFF';

/**
 * Counts the rows of a file while it comes: gives those that have ended with the part. Undefined for a format whose lines are
 * no rows.
 */
export function rowCounter(format: ExportFormat): ((part: Uint8Array) => number) | undefined {
  if (format === 'otlp') return undefined;
  const isCsv = format === 'csv';
  // The head of a CSV file is a line too.
  let rows = isCsv ? -1 : 0;
  let quoted = false;
  return (part) => {
    for (const byte of part) {
      if (byte === LINE_END && !quoted) rows++;
      else if (byte === QUOTE && isCsv) quoted = !quoted;
    }
    return rows;
  };
}

let running: AbortController | undefined;

/** Asks before the tab is closed. */
const holdTab = (event: BeforeUnloadEvent) => event.preventDefault();

export const stopExport = (): void => running?.abort();

/** Downloads what matches, wherever else the person goes meanwhile; what becomes of it is told as progress. */
export async function startExport(scope: Scope, options: ExportOptions, noun: string): Promise<void> {
  const control = new AbortController();
  running = control;
  addEventListener('beforeunload', holdTab);
  try {
    await download(scope, options, noun, control.signal);
  } catch (thrown) {
    if (control.signal.aborted) tellProgress();
    else tellProgress({ state: 'failed', text: sentenceOf(thrown), size: '' });
  } finally {
    removeEventListener('beforeunload', holdTab);
    running = undefined;
  }
}

async function download(scope: Scope, options: ExportOptions, noun: string, abort: AbortSignal) {
  const { format } = options;
  const many = (rows: number) => `${exact(rows)} ${nounOf(rows, noun)}`;
  let bytes = 0;
  let of = '';
  let told = 0;
  const tell = () => {
    const size = formatValue(bytes, 'By');
    tellProgress({ state: 'running', text: `${size}${of} …`, size });
  };
  tell();
  const { headers, body } = await openExport(scope, options, abort);
  const expected = Number(headers.get('x-platform-export-rows') ?? Number.NaN);
  if (Number.isFinite(expected)) of = ` of ${many(expected)}`;
  const count = rowCounter(format);
  let rows = count === undefined ? expected : 0;
  const content = await gather(body, (part) => {
    bytes += part.length;
    rows = count?.(part) ?? rows;
    const now = performance.now();
    if (now - told < TELL_MS) return;
    told = now;
    tell();
  });
  const { ending, type } = EXPORT_FILES[format];
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  saveFile(format === 'csv' ? new Blob([UTF8_MARK, content]) : content, `${noun}-${stamp}.${ending}`, type);
  const size = formatValue(bytes, 'By');
  // A proxy on the way may take a connection that was cut for a file that ended.
  if (rows < expected) {
    const text = `Saved, but the file ended after ${exact(rows)} of ${many(expected)}: download it again.`;
    tellProgress({ state: 'failed', text, size });
    return;
  }
  const cut = headers.get('x-platform-export-cut') === 'true';
  tellProgress({
    state: 'done',
    text: `Saved ${Number.isNaN(rows) ? '' : `${many(rows)}, `}${size}.${cut ? ' More match than the bound lets through.' : ''}`,
    size,
  });
}

function sentenceOf(thrown: unknown): string {
  if (thrown instanceof ApiError) return thrown.message;
  return thrown instanceof TooLargeToSave
    ? 'This is more than a browser tab can put together; nothing was saved. Take fewer rows or columns, or fetch the file from a shell: “cURL” copies the command.'
    : 'The download broke off before its end; nothing was saved.';
}
