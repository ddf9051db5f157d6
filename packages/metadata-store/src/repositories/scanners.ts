import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { ScannerFindingTable, ScannerJobTable, ScannerTable } from '../tables/scanners.ts';
import type { Access } from './access.ts';
import { requireLiveKey } from './sealed.ts';
import { unlessTaken } from './unless-taken.ts';

/** Whose scanners: a project and one of its environments. */
export interface ScannerScope {
  readonly projectId: string;
  readonly environment: string;
}

/** A scanner connector; `token` is sealed, `settings` is JSON of the caller. Times are epoch milliseconds. */
export interface StoredScanner extends ScannerScope {
  readonly id: string;
  readonly name: string;
  readonly target: string;
  readonly ref: string | null;
  readonly settings: string;
  readonly scheduleHours: number | null;
  readonly token: string | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
export type NewScanner = Pick<
  StoredScanner,
  'id' | 'name' | 'target' | 'ref' | 'settings' | 'scheduleHours' | 'token'
>;

export type ScannerJobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'timed_out';
export interface StoredScannerJob extends ScannerScope {
  readonly id: string;
  readonly scannerId: string;
  readonly status: ScannerJobStatus;
  readonly request: string;
  readonly cancelled: boolean;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly findingCount: number;
  readonly mediumPlusCount: number;
  readonly result: string | null;
  readonly error: string | null;
}

export interface JobEnd {
  readonly status: Exclude<ScannerJobStatus, 'queued' | 'running'>;
  readonly findingCount: number;
  readonly mediumPlusCount: number;
  readonly result: string | null;
  readonly components: string | null;
  readonly error: string | null;
}

export type FindingStatus = 'new' | 'open' | 'fixed' | 'reopened' | 'ignored';
export interface SeenFinding {
  readonly fingerprint: string;
  readonly detector: string;
  readonly ruleId: string;
  readonly severity: string;
  readonly severityRank: number;
  readonly path: string;
  readonly line: number | null;
  /** JSON. */
  readonly texts: string;
}
export interface StoredFinding extends SeenFinding {
  readonly scannerId: string;
  readonly target: string;
  readonly status: FindingStatus;
  readonly reason: string | null;
  readonly ignoredUntil: number | null;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly fixedAt: number | null;
}

export interface FindingSelection {
  readonly target?: string | undefined;
  /** Any of these. */
  readonly targets?: readonly string[] | undefined;
  readonly scannerId?: string | undefined;
  readonly status?: FindingStatus | undefined;
  readonly severity?: string | undefined;
  readonly detector?: string | undefined;
}

const JOBS_KEPT = 100;
const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();
const missing = () => fail('not_found', { what: 'The scanner' });
const noJob = () => fail('not_found', { what: 'The scanner job' });

const toScanner = (row: Selectable<ScannerTable>): StoredScanner => ({
  id: row.id,
  projectId: row.project_id,
  environment: row.environment,
  name: row.name,
  target: row.target,
  ref: row.ref,
  settings: row.settings,
  scheduleHours: row.schedule_hours,
  token: row.token,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
const toJob = (row: Omit<Selectable<ScannerJobTable>, 'components'>): StoredScannerJob => ({
  id: row.id,
  scannerId: row.scanner_id,
  projectId: row.project_id,
  environment: row.environment,
  // Written by this file and nobody else.
  status: row.status as ScannerJobStatus,
  request: row.request,
  cancelled: row.cancelled === 1,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  findingCount: row.finding_count,
  mediumPlusCount: row.medium_plus_count,
  result: row.result,
  error: row.error,
});
const toFinding = (row: Selectable<ScannerFindingTable>): StoredFinding => ({
  scannerId: row.scanner_id,
  fingerprint: row.fingerprint,
  target: row.target,
  detector: row.detector,
  ruleId: row.rule_id,
  severity: row.severity,
  severityRank: row.severity_rank,
  status: row.status as FindingStatus,
  path: row.path,
  line: row.line,
  texts: row.texts,
  reason: row.reason,
  ignoredUntil: row.ignored_until,
  firstSeen: row.first_seen,
  lastSeen: row.last_seen,
  fixedAt: row.fixed_at,
});

const JOB_COLUMNS = [
  'id',
  'scanner_id',
  'project_id',
  'environment',
  'status',
  'request',
  'cancelled',
  'created_at',
  'started_at',
  'finished_at',
  'finding_count',
  'medium_plus_count',
  'result',
  'error',
] as const;

/** Scanner connectors of one project and environment at a time; another's id is unknown here. */
export function scanners({ database, clock, dialect, limits }: Access) {
  const rows = ({ projectId, environment }: ScannerScope) =>
    database
      .selectFrom('scanners')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('environment', '=', environment);
  const get = async (scope: ScannerScope, id: string): Promise<StoredScanner> => {
    const row = await rows(scope).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toScanner(row);
  };
  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      () => fail('conflict', { detail: `There is a scanner called "${name}" already. Choose another name.` }),
      work,
    );
  const columnsOf = (scanner: Omit<NewScanner, 'id'>) => ({
    name: scanner.name,
    name_key: keyOf(scanner.name),
    target: scanner.target,
    ref: scanner.ref,
    settings: scanner.settings,
    schedule_hours: scanner.scheduleHours,
    token: scanner.token,
    next_at: scanner.scheduleHours === null ? null : clock.now(),
  });
  const jobRows = () => database.selectFrom('scanner_jobs').select(JOB_COLUMNS);
  const selected = ({ projectId, environment }: ScannerScope, selection: FindingSelection) => {
    let query = database
      .selectFrom('scanner_findings')
      .where('project_id', '=', projectId)
      .where('environment', '=', environment);
    if (selection.target !== undefined) query = query.where('target', '=', selection.target);
    if (selection.targets !== undefined) query = query.where('target', 'in', selection.targets);
    if (selection.scannerId !== undefined) query = query.where('scanner_id', '=', selection.scannerId);
    if (selection.status !== undefined) query = query.where('status', '=', selection.status);
    if (selection.severity !== undefined) query = query.where('severity', '=', selection.severity);
    if (selection.detector !== undefined) query = query.where('detector', '=', selection.detector);
    return query;
  };

  return {
    get,
    list: async (scope: ScannerScope): Promise<StoredScanner[]> =>
      (await rows(scope).orderBy('name_key').execute()).map(toScanner),

    /** @throws conflict when the name is taken, refused when there are too many */
    async create(scope: ScannerScope, scanner: NewScanner): Promise<StoredScanner> {
      const { count } = await database
        .selectFrom('scanners')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', scope.projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= limits.scannersPerProject) {
        throw fail('refused', {
          detail: `A project may have ${limits.scannersPerProject} scanners. Delete some first.`,
        });
      }
      await requireLiveKey(database, scanner.token);
      const now = clock.now();
      const row = {
        id: scanner.id,
        project_id: scope.projectId,
        environment: scope.environment,
        ...columnsOf(scanner),
        version: 1,
        created_at: now,
        updated_at: now,
      };
      await unlessNameTaken(scanner.name, () => database.insertInto('scanners').values(row).execute());
      return toScanner(row);
    },

    /** @throws not_found, conflict when the name is taken or the version is another one by now */
    async update(
      scope: ScannerScope,
      id: string,
      version: number,
      scanner: Omit<NewScanner, 'id'>,
    ): Promise<StoredScanner> {
      await get(scope, id);
      await requireLiveKey(database, scanner.token);
      const { numUpdatedRows } = await unlessNameTaken(scanner.name, () =>
        database
          .updateTable('scanners')
          .set({ ...columnsOf(scanner), version: version + 1, updated_at: clock.now() })
          .where('id', '=', id)
          .where('version', '=', version)
          .executeTakeFirst(),
      );
      if (numUpdatedRows === 0n)
        throw fail('conflict', {
          detail: 'Somebody changed this scanner meanwhile. Read it again, then change it.',
        });
      return get(scope, id);
    },

    /** With its jobs and findings. @throws not_found */
    async delete(scope: ScannerScope, id: string): Promise<void> {
      await get(scope, id);
      for (const table of ['scanner_findings', 'scanner_jobs'] as const)
        await database.deleteFrom(table).where('scanner_id', '=', id).execute();
      await database.deleteFrom('scanners').where('id', '=', id).execute();
    },

    /** Scanners whose schedule is due, at most `limit`; each is set to its next time by whoever takes it. */
    async takeDue(now: number, limit: number): Promise<StoredScanner[]> {
      const due = await database
        .selectFrom('scanners')
        .selectAll()
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(limit)
        .execute();
      const taken: StoredScanner[] = [];
      for (const row of due) {
        const { numUpdatedRows } = await database
          .updateTable('scanners')
          .set({ next_at: row.schedule_hours === null ? null : now + row.schedule_hours * 3_600_000 })
          .where('id', '=', row.id)
          .where('next_at', '=', row.next_at)
          .executeTakeFirst();
        if (numUpdatedRows === 1n) taken.push(toScanner(row));
      }
      return taken;
    },

    /** A new job. @throws conflict while one of the scanner waits or runs */
    async createJob(scanner: StoredScanner, request: string): Promise<StoredScannerJob> {
      const busy = await jobRows()
        .where('scanner_id', '=', scanner.id)
        .where('status', 'in', ['queued', 'running'])
        .executeTakeFirst();
      if (busy !== undefined)
        throw fail('conflict', {
          detail: `The job ${busy.id} of this scanner is ${busy.status}. Wait for it or cancel it.`,
        });
      const row = {
        id: crypto.randomUUID(),
        scanner_id: scanner.id,
        project_id: scanner.projectId,
        environment: scanner.environment,
        status: 'queued',
        request,
        cancelled: 0,
        created_at: clock.now(),
        started_at: null,
        finished_at: null,
        finding_count: 0,
        medium_plus_count: 0,
        result: null,
        components: null,
        error: null,
      };
      await database.insertInto('scanner_jobs').values(row).execute();
      const old = await database
        .selectFrom('scanner_jobs')
        .select('id')
        .where('scanner_id', '=', scanner.id)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .offset(JOBS_KEPT)
        .limit(100)
        .execute();
      if (old.length > 0)
        await database
          .deleteFrom('scanner_jobs')
          .where(
            'id',
            'in',
            old.map(({ id }) => id),
          )
          .execute();
      return toJob(row);
    },

    /** @throws not_found */
    async job({ projectId, environment }: ScannerScope, id: string): Promise<StoredScannerJob> {
      const row = await jobRows()
        .where('id', '=', id)
        .where('project_id', '=', projectId)
        .where('environment', '=', environment)
        .executeTakeFirst();
      if (row === undefined) throw noJob();
      return toJob(row);
    },
    /** For whoever works on it. */
    async findJob(
      id: string,
    ): Promise<{ readonly job: StoredScannerJob; readonly scanner: StoredScanner } | undefined> {
      const job = await jobRows().where('id', '=', id).executeTakeFirst();
      if (job === undefined) return undefined;
      const scanner = await database
        .selectFrom('scanners')
        .selectAll()
        .where('id', '=', job.scanner_id)
        .executeTakeFirst();
      return scanner === undefined ? undefined : { job: toJob(job), scanner: toScanner(scanner) };
    },
    jobs: async (scannerId: string, limit: number): Promise<StoredScannerJob[]> =>
      (
        await jobRows()
          .where('scanner_id', '=', scannerId)
          .orderBy('created_at', 'desc')
          .orderBy('id')
          .limit(limit)
          .execute()
      ).map(toJob),
    async components(id: string): Promise<string | null> {
      return (
        (
          await database
            .selectFrom('scanner_jobs')
            .select('components')
            .where('id', '=', id)
            .executeTakeFirst()
        )?.components ?? null
      );
    },
    async startJob(id: string): Promise<void> {
      await database
        .updateTable('scanner_jobs')
        .set({ status: 'running', started_at: clock.now() })
        .where('id', '=', id)
        .where('status', 'in', ['queued', 'running'])
        .execute();
    },
    /** Asks for an end; a job that still waits is cancelled at once. */
    async cancelJob(id: string): Promise<void> {
      await database.updateTable('scanner_jobs').set({ cancelled: 1 }).where('id', '=', id).execute();
      await database
        .updateTable('scanner_jobs')
        .set({ status: 'cancelled', finished_at: clock.now(), error: 'It was cancelled before it began.' })
        .where('id', '=', id)
        .where('status', '=', 'queued')
        .execute();
    },
    /** False: it has ended already. */
    async endJob(id: string, end: JobEnd): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('scanner_jobs')
        .set({
          status: end.status,
          finished_at: clock.now(),
          finding_count: end.findingCount,
          medium_plus_count: end.mediumPlusCount,
          result: end.result,
          components: end.components,
          error: end.error,
        })
        .where('id', '=', id)
        .where('status', 'in', ['queued', 'running'])
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    /** Takes over what a complete scan saw: new, still open, reopened; what is gone is fixed. Detectors that did not run keep theirs. */
    async seen(
      scanner: StoredScanner,
      target: string,
      detectors: readonly string[],
      findings: readonly SeenFinding[],
    ): Promise<void> {
      const now = clock.now();
      const before = new Map(
        (
          await database
            .selectFrom('scanner_findings')
            .select(['fingerprint', 'status', 'ignored_until', 'detector'])
            .where('scanner_id', '=', scanner.id)
            .where('target', '=', target)
            .execute()
        ).map((row) => [row.fingerprint, row]),
      );
      const there = new Set(findings.map(({ fingerprint }) => fingerprint));
      for (const one of findings) {
        const known = before.get(one.fingerprint);
        const columns = {
          severity: one.severity,
          severity_rank: one.severityRank,
          path: one.path,
          line: one.line,
          texts: one.texts,
          last_seen: now,
        };
        if (known === undefined) {
          await database
            .insertInto('scanner_findings')
            .values({
              scanner_id: scanner.id,
              fingerprint: one.fingerprint,
              project_id: scanner.projectId,
              environment: scanner.environment,
              target,
              detector: one.detector,
              rule_id: one.ruleId,
              status: 'new',
              reason: null,
              ignored_until: null,
              first_seen: now,
              fixed_at: null,
              ...columns,
            })
            .execute();
          continue;
        }
        const ignored =
          known.status === 'ignored' && (known.ignored_until === null || known.ignored_until > now);
        const status = ignored
          ? 'ignored'
          : known.status === 'fixed'
            ? 'reopened'
            : known.status === 'ignored' || known.status === 'new'
              ? 'open'
              : known.status;
        await database
          .updateTable('scanner_findings')
          .set({ ...columns, status, fixed_at: null })
          .where('scanner_id', '=', scanner.id)
          .where('fingerprint', '=', one.fingerprint)
          .execute();
      }
      for (const [fingerprint, { status, detector }] of before) {
        if (there.has(fingerprint) || status === 'fixed' || !detectors.includes(detector)) continue;
        await database
          .updateTable('scanner_findings')
          .set({ status: 'fixed', fixed_at: now })
          .where('scanner_id', '=', scanner.id)
          .where('fingerprint', '=', fingerprint)
          .execute();
      }
    },

    /** Findings that were seen first in a window, the worst first; without an environment of all. */
    async firstSeen(
      scope: { readonly projectId: string; readonly environment: string | undefined },
      window: { readonly from: number; readonly to: number; readonly worstRank: number },
    ): Promise<StoredFinding[]> {
      let query = database
        .selectFrom('scanner_findings')
        .selectAll()
        .where('project_id', '=', scope.projectId)
        .where('first_seen', '>=', window.from)
        .where('first_seen', '<', window.to)
        .where('severity_rank', '<=', window.worstRank)
        .orderBy('severity_rank')
        .orderBy('fingerprint')
        .limit(200);
      if (scope.environment !== undefined) query = query.where('environment', '=', scope.environment);
      return (await query.execute()).map(toFinding);
    },

    /** Worst first; `after` is the rank and fingerprint of the last one that was read. */
    async findings(
      scope: ScannerScope,
      selection: FindingSelection,
      page: {
        readonly limit: number;
        readonly after?: { readonly rank: number; readonly key: string } | undefined;
      },
    ): Promise<StoredFinding[]> {
      let query = selected(scope, selection).selectAll();
      const { after } = page;
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('severity_rank', '>', after.rank),
            and([eb('severity_rank', '=', after.rank), eb('fingerprint', '>', after.key)]),
          ]),
        );
      }
      return (await query.orderBy('severity_rank').orderBy('fingerprint').limit(page.limit).execute()).map(
        toFinding,
      );
    },
    /** How many findings were seen first, and how many were fixed for good, by day; without ignored ones. */
    async course(
      scope: ScannerScope,
      selection: FindingSelection,
      dayMs: number,
    ): Promise<Record<'found' | 'fixed', { readonly day: number; readonly count: number }[]>> {
      const byDay = async (column: 'first_seen' | 'fixed_at') => {
        const day = sql<number>`${sql.ref(column)} / ${sql.lit(dayMs)}`;
        const rows = await selected(scope, selection)
          .select([day.as('day'), ({ fn }) => fn.countAll<number>().as('count')])
          .where(column, 'is not', null)
          .where('status', '!=', 'ignored')
          .groupBy(day)
          .execute();
        return rows.map((row) => ({ day: Math.floor(Number(row.day)), count: Number(row.count) }));
      };
      return { found: await byDay('first_seen'), fixed: await byDay('fixed_at') };
    },
    /** Findings that are neither fixed nor ignored, by severity. */
    async openCounts(scope: ScannerScope, selection: FindingSelection): Promise<Record<string, number>> {
      const counts = await selected(scope, selection)
        .select(['severity', ({ fn }) => fn.countAll<number>().as('count')])
        .where('status', 'not in', ['fixed', 'ignored'])
        .groupBy('severity')
        .execute();
      return Object.fromEntries(counts.map(({ severity, count }) => [severity, Number(count)]));
    },
    /** Findings that are neither fixed nor ignored, by target; 0 where a scanner has ended a scan and found none. */
    async openByTarget(
      { projectId, environment }: { readonly projectId: string; readonly environment: string | undefined },
      targets: readonly string[],
    ): Promise<ReadonlyMap<string, number>> {
      if (targets.length === 0) return new Map();
      let looked = database
        .selectFrom('scanners')
        .select('target')
        .distinct()
        .where('project_id', '=', projectId)
        .where('target', 'in', targets)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('scanner_jobs')
              .select('scanner_jobs.id')
              .whereRef('scanner_jobs.scanner_id', '=', 'scanners.id')
              .where('scanner_jobs.status', '=', 'succeeded'),
          ),
        );
      let open = database
        .selectFrom('scanner_findings')
        .select(['target', ({ fn }) => fn.countAll<number>().as('count')])
        .where('project_id', '=', projectId)
        .where('target', 'in', targets)
        .where('status', 'not in', ['fixed', 'ignored'])
        .groupBy('target');
      if (environment !== undefined) {
        looked = looked.where('environment', '=', environment);
        open = open.where('environment', '=', environment);
      }
      const counts = new Map((await looked.execute()).map(({ target }) => [target, 0]));
      for (const { target, count } of await open.execute()) counts.set(target, Number(count));
      return counts;
    },
    /** Ignores or opens a finding in every scanner of the scope that has it. @throws not_found */
    async setFinding(
      { projectId, environment }: ScannerScope,
      fingerprint: string,
      change: {
        readonly status: 'open' | 'ignored';
        readonly reason: string | null;
        readonly ignoredUntil: number | null;
        readonly scannerId?: string | undefined;
      },
    ): Promise<StoredFinding> {
      const own = selected({ projectId, environment }, { scannerId: change.scannerId }).where(
        'fingerprint',
        '=',
        fingerprint,
      );
      const before = await own.select('scanner_id').executeTakeFirst();
      if (before === undefined) throw fail('not_found', { what: 'The finding' });
      let update = database
        .updateTable('scanner_findings')
        .set({ status: change.status, reason: change.reason, ignored_until: change.ignoredUntil })
        .where('project_id', '=', projectId)
        .where('environment', '=', environment)
        .where('fingerprint', '=', fingerprint);
      if (change.scannerId !== undefined) update = update.where('scanner_id', '=', change.scannerId);
      await update.execute();
      return toFinding(await own.selectAll().executeTakeFirstOrThrow());
    },
  };
}
