import { fail, type RequestContext } from '@candela/kernel';
import type { FindingSelection, MetadataStore, ScannerScope } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { record } from '../audit/service.ts';
import { targetsOf } from './service.ts';
import { findingView } from './views.ts';

type FindingHandlers = Pick<Handlers, 'listFindings' | 'trendFindings' | 'exportFindings' | 'updateFinding'>;

const MOST_EXPORTED = 10_000;
const PAGE = 500;
const DAY_MS = 86_400_000;

/** What scans found: lists, course, files, and what people decide about one. */
export function findingHandlers(
  { metadata, now, version }: { metadata: MetadataStore; now: () => number; version: string },
  scopeOf: (context: RequestContext) => ScannerScope,
): FindingHandlers {
  return {
    listFindings: async ({ context, query }) => {
      const { limit, cursor, ...rest } = query;
      const selection = selectionOf(rest);
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const found = await metadata.scanners.findings(scopeOf(context), selection, {
        limit: limit + 1,
        after,
      });
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        data: page.map(findingView),
        nextCursor:
          found.length > limit && last !== undefined ? `${last.severityRank}.${last.fingerprint}` : null,
        counts: await metadata.scanners.openCounts(scopeOf(context), selection),
      };
    },

    trendFindings: async ({ context, query }) => {
      const { days, ...rest } = query;
      const today = Math.floor(now() / DAY_MS);
      const first = today - days + 1;
      const courses = await metadata.scanners.course(scopeOf(context), selectionOf(rest), DAY_MS);
      const count = (kind: 'found' | 'fixed', from: number, to: number): number =>
        courses[kind].reduce((sum, one) => (one.day >= from && one.day <= to ? sum + one.count : sum), 0);
      const data = Array.from({ length: days }, (_, at) => {
        const day = first + at;
        return {
          day: new Date(day * DAY_MS).toISOString(),
          found: count('found', day, day),
          fixed: count('fixed', day, day),
          open: count('found', 0, day) - count('fixed', 0, day),
        };
      });
      return { data, nextCursor: null };
    },

    exportFindings: async ({ context, query }) => {
      const { format, ...rest } = query;
      const selection = selectionOf(rest);
      const rows = pagesOf(metadata, scopeOf(context), selection);
      if (format === 'csv')
        return { contentType: 'text/csv; charset=utf-8', fileName: 'findings.csv', parts: csvOf(rows) };
      const { sarifOf } = await import('@candela/scanners');
      const findings = [];
      for await (const { status, ...one } of rows)
        if (status !== 'fixed' && status !== 'ignored')
          findings.push({ ...one, confidence: 'high' as const });
      const parts = (async function* () {
        yield JSON.stringify(sarifOf({ findings }, version));
      })();
      return { contentType: 'application/sarif+json', fileName: 'findings.sarif', parts };
    },

    updateFinding: async ({ context, params, body }) => {
      if (body.status === 'ignored' && body.reason === null)
        throw fail('refused', { detail: 'Say why the finding is ignored: fill in the reason.' });
      const until = body.until === null ? null : Date.parse(body.until);
      const ignored = body.status === 'ignored';
      const changed = await metadata.change(undefined, async (repositories) => {
        const finding = await repositories.scanners.setFinding(scopeOf(context), params.fingerprint, {
          status: body.status,
          reason: ignored ? body.reason : null,
          ignoredUntil: ignored ? until : null,
          scannerId: body.scannerId,
        });
        await record(repositories, context, {
          action: ignored ? 'finding.ignore' : 'finding.open',
          objectKind: 'finding',
          objectId: params.fingerprint,
          details: { reason: body.reason, path: finding.path },
        });
        return finding;
      });
      return { data: findingView(changed) };
    },
  };
}

/** A repository has the same findings whether its address ends with `.git` or not. */
function selectionOf({
  repository,
  ...rest
}: Omit<FindingSelection, 'targets'> & { readonly repository?: string | undefined }): FindingSelection {
  if (repository === undefined) return rest;
  return { ...rest, targets: targetsOf(repository) };
}

async function* pagesOf(metadata: MetadataStore, scope: ScannerScope, selection: FindingSelection) {
  let after: { rank: number; key: string } | undefined;
  for (let count = 0; count < MOST_EXPORTED; count += PAGE) {
    const page = await metadata.scanners.findings(scope, selection, { limit: PAGE, after });
    yield* page.map(findingView);
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return;
    after = { rank: last.severityRank, key: last.fingerprint };
  }
}

const COLUMNS = [
  'severity',
  'status',
  'detector',
  'ruleId',
  'target',
  'path',
  'line',
  'title',
  'fix',
  'firstSeen',
  'lastSeen',
  'fixedAt',
  'reason',
  'fingerprint',
] as const;

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe. */
async function* csvOf(rows: AsyncIterable<ReturnType<typeof findingView>>) {
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const row of rows) {
    yield `${COLUMNS.map((name) => {
      const text = String(row[name] ?? '').replace(/^(?=[=+\-@\t\r])/, "'");
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    }).join(',')}\r\n`;
  }
}

/** @throws bad_request */
function readCursor(cursor: string): { readonly rank: number; readonly key: string } {
  const match = /^(\d)\.([0-9a-f]{64})$/.exec(cursor);
  if (match === null) throw fail('bad_request', { detail: 'The cursor is not one of this list.' });
  return { rank: Number(match[1]), key: match[2] ?? '' };
}
