import type { ExportKind, EventKind } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { EXCEPTIONS } from '../exceptions/exception-fields.ts';
import { searchExceptions } from '../exceptions/search-exceptions.ts';
import { catalogue } from '../metrics/catalogue.ts';
import type { Page } from '../core/page.ts';
import { SPANS } from '../spans/span-fields.ts';
import { searchTraces } from '../spans/search-traces.ts';
import { countExport, type ExportInput, type ExportSize } from './pages.ts';

/** Rows that are made of many records: they are exported as their list shows them, events as they were received. */
export type ListKind = Exclude<ExportKind, EventKind>;

/** How the rows of a list are exported: by the pages of the list itself. */
interface ListSource {
  page(
    runner: Runner,
    context: RequestContext,
    input: ExportInput & { readonly cursor: string | undefined },
  ): Promise<Page<object>>;
  count(runner: Runner, context: RequestContext, input: ExportInput): Promise<ExportSize>;
}

/** Every list that is exported; the registry. */
const LISTS: Record<ListKind, ListSource> = {
  traces: {
    page: (runner, context, input) =>
      runner.seen(context, SPANS, (seen) => searchTraces(runner, seen, { ...input, sort: '-start' })),
    count: (runner, context, input) => countExport(runner, context, SPANS, input, 'TraceId'),
  },
  exceptions: {
    page: (runner, context, input) => searchExceptions(runner, context, { ...input, sort: '-lastSeen' }),
    count: (runner, context, input) => countExport(runner, context, EXCEPTIONS, input, 'Fingerprint'),
  },
  metrics: {
    page: (runner, context, { window, metrics, limit, cursor }) =>
      catalogue(runner, context, { ...metrics, window, limit, cursor }),
    async count(runner, context, { window, metrics, limit }) {
      const { total, atLeast } = await catalogue(runner, context, { ...metrics, window, limit: 1 });
      return { rows: Math.min(total, limit), more: atLeast || total > limit };
    },
  },
};

const PAGE = 500;

/** The rows of a list, page by page. */
export async function* listPages(
  runner: Runner,
  context: RequestContext,
  signal: ListKind,
  input: ExportInput,
): AsyncGenerator<object[]> {
  let left = input.limit;
  let cursor: string | undefined;
  do {
    const page = await LISTS[signal].page(runner, context, { ...input, limit: Math.min(PAGE, left), cursor });
    if (page.data.length > 0) yield page.data;
    left -= page.data.length;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && left > 0);
}

export const countList = (
  runner: Runner,
  context: RequestContext,
  signal: ListKind,
  input: ExportInput,
): Promise<ExportSize> => LISTS[signal].count(runner, context, input);
