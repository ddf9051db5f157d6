import { rmSync } from 'node:fs';
import type { BodyOf, ROUTES, SCANNER_ROUTES } from '@candela/contract';
import { DEFAULT_ENVIRONMENT, fail, type RequestContext } from '@candela/kernel';
import type { ScannerScope, StoredScanner, StoredScannerJob } from '@candela/metadata-store';
import { callOf } from '../../http/idempotency.ts';
import type { Handlers } from '../../http/handlers.ts';
import { workThrough } from '../../jobs/work-through.ts';
import { record } from '../audit/service.ts';
import type { Feature, FeatureParts } from '../feature.ts';
import { findingHandlers } from './findings.ts';
import { scannerFolders } from './folders.ts';
import { runScan, type ScanParts } from './run-scan.ts';
import { uploadHandlers } from './uploads.ts';
import {
  connectorOf,
  findingView,
  jobView,
  type JobResult,
  type ScanOrder,
  type ScannerSettings,
  scannerView,
} from './views.ts';

const QUEUE = 'scanner-jobs';
const JOB_ID = 'scanner-runs';
const POLL_MS = 200;
const ACTIVE = new Set(['queued', 'running']);

const scopeOf = ({ projectId, environment }: RequestContext): ScannerScope => ({
  projectId,
  environment: environment ?? DEFAULT_ENVIRONMENT,
});
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Scanners of repositories: connectors, jobs, findings. See README.md. */
export function scannerFeature(parts: FeatureParts): Feature<Pick<Handlers, keyof typeof SCANNER_ROUTES>> {
  const { metadata, envelope, clock, logger, version, jobs, config } = parts;
  const place = (id: string) => ({ table: 'scanners', column: 'token', id });
  const seal = (id: string, token: string | null) =>
    token === null ? null : envelope.seal(token, place(id));
  const folders = scannerFolders(config.dataDir);
  const scanParts: ScanParts = {
    folders,
    metadata,
    logger,
    settings: config.scanners,
    tokenOf: ({ id, token }) => (token === null ? null : envelope.open(token, place(id))),
    now: () => clock.now(),
  };

  const view = async (scanner: StoredScanner) => {
    const [last] = await metadata.scanners.jobs(scanner.id, 1);
    const counts = await metadata.scanners.openCounts(scanner, { scannerId: scanner.id });
    return scannerView(scanner, {
      lastJob: last === undefined ? null : { ...jobView(last, version), findings: [] },
      openFindings: Object.values(counts).reduce((sum, count) => sum + count, 0),
    });
  };
  const answer = (scanner: StoredScanner, job: StoredScannerJob) => ({
    connector: connectorOf(scanner),
    job: jobView(job, version),
  });

  async function startJob(
    scanner: StoredScanner,
    order: ScanOrder,
    context?: RequestContext,
  ): Promise<StoredScannerJob> {
    const job = await metadata.change(undefined, async (repositories) => {
      const made = await repositories.scanners.createJob(scanner, JSON.stringify(order));
      await repositories.work.enqueue(QUEUE, [{ key: made.id, group: scanner.id, payload: {} }]);
      if (context !== undefined) {
        await record(repositories, context, {
          action: 'scanner.scan',
          objectKind: 'scanner',
          objectId: scanner.id,
          details: { job: made.id, target: order.target },
        });
      }
      return made;
    });
    await jobs.trigger(JOB_ID);
    return job;
  }

  /** Waits for the end of a job, unless the client wants to know at once. A client that leaves does not end the scan; cancelling does. */
  async function finished(
    scanner: StoredScanner,
    job: StoredScannerJob,
    header: (name: string) => string | undefined,
    signal: AbortSignal,
  ) {
    if (/\brespond-async\b/i.test(header('prefer') ?? '')) return answer(scanner, job);
    for (;;) {
      await pause(POLL_MS);
      const now = await metadata.scanners.job(scanner, job.id);
      if (!ACTIVE.has(now.status) || signal.aborted) return answer(scanner, now);
    }
  }

  /** What the body and the connector ask for together. @throws bad_request, refused */
  async function orderOf(scanner: StoredScanner, body: BodyOf<typeof ROUTES.startScan>): Promise<ScanOrder> {
    const { chooseDetectors, ScanError } = await import('@candela/scanners');
    const settings = JSON.parse(scanner.settings) as ScannerSettings;
    const flags = { ...settings.flags, ...body };
    const { rulesRepo, rulesRef, requireSigned = false, noRulesUpdate = false } = flags;
    if (rulesRepo === undefined && (requireSigned || noRulesUpdate || rulesRef !== undefined))
      throw fail('refused', {
        detail:
          'rulesRef, requireSigned and noRulesUpdate are about a bundle of rules: name its repository in rulesRepo. The built-in rules are part of the program.',
      });
    try {
      const chosen = chooseDetectors(body.detectors ?? settings.detectors).filter(
        (id) =>
          !(
            (id === 'secrets' && flags.secretScan === false) ||
            (id === 'vulnerabilities' && flags.vulnScan === false) ||
            (id === 'licenses' && flags.licenseScan === false) ||
            (id === 'rules' && rulesRepo === undefined)
          ),
      );
      return {
        target: body.target ?? scanner.target,
        ref: body.ref ?? (body.target === undefined ? scanner.ref : null),
        detectors: chosen.join(','),
        strict: flags.strict === true,
        ...(rulesRepo === undefined
          ? {}
          : {
              rules: { repo: rulesRepo, ref: rulesRef ?? null, requireSigned, noUpdate: noRulesUpdate },
            }),
      };
    } catch (thrown) {
      if (thrown instanceof ScanError) throw fail('bad_request', { detail: thrown.message });
      throw thrown;
    }
  }

  async function write(
    context: RequestContext,
    id: string,
    body: BodyOf<typeof ROUTES.createScanner> | BodyOf<typeof ROUTES.updateScanner>,
    token: string | null,
  ) {
    const { chooseDetectors, ScanError } = await import('@candela/scanners');
    try {
      chooseDetectors(body.detectors);
    } catch (thrown) {
      if (thrown instanceof ScanError) throw fail('bad_request', { detail: thrown.message });
      throw thrown;
    }
    const { name, target, ref, detectors, flags, scheduleHours, licencePolicy } = body;
    const settings: ScannerSettings = { detectors, flags, licencePolicy };
    return { id, name, target, ref, scheduleHours, token, settings: JSON.stringify(settings) };
  }

  return {
    name: 'scanners',
    jobs: [
      {
        id: JOB_ID,
        title: 'Scans of repositories',
        schedule: { everyMs: 60_000, atStart: true },
        async run({ signal, now }) {
          folders.sweep(now());
          for (const scanner of await metadata.scanners.takeDue(now(), 50)) {
            await startJob(scanner, await orderOf(scanner, {})).catch((error: unknown) =>
              logger.info({ err: error, scanner: scanner.id }, 'a scan that was due did not begin'),
            );
          }
          return workThrough({
            metadata,
            queue: QUEUE,
            owner: jobs.owner,
            concurrency: 2,
            maxAttempts: 2,
            leaseMs: 30_000,
            signal,
            now,
            handle: async ({ key }, stopping) => {
              const found = await metadata.scanners.findJob(key);
              if (found !== undefined) await runScan(scanParts, found.job, found.scanner, stopping);
            },
          });
        },
      },
    ],
    handlers: {
      listScanners: async ({ context }) => ({
        data: await Promise.all((await metadata.scanners.list(scopeOf(context))).map(view)),
        nextCursor: null,
      }),
      createScanner: async ({ context, body, header }) => {
        const id = `scanner:${crypto.randomUUID()}`;
        const row = await write(context, id, body, seal(id, body.token));
        const made = await metadata.change(
          callOf(context, 'createScanner', header('idempotency-key'), body),
          async (repositories) => {
            const scanner = await repositories.scanners.create(scopeOf(context), row);
            await record(repositories, context, {
              action: 'scanner.create',
              objectKind: 'scanner',
              objectId: scanner.id,
              details: { name: scanner.name, target: scanner.target },
            });
            return scanner;
          },
        );
        return { data: await view(made) };
      },
      updateScanner: async ({ context, params, body }) => {
        const before = await metadata.scanners.get(scopeOf(context), params.id);
        // Whoever may change the address must not be able to send a token that they cannot read to another server.
        if (body.token === undefined && before.token !== null && body.target !== before.target)
          throw fail('refused', {
            detail: 'The access token is for the repository before: send one for the new address, or null.',
          });
        const token = body.token === undefined ? before.token : seal(params.id, body.token);
        const row = await write(context, params.id, body, token);
        const changed = await metadata.change(undefined, async (repositories) => {
          const scanner = await repositories.scanners.update(scopeOf(context), params.id, body.version, row);
          await record(repositories, context, {
            action: 'scanner.update',
            objectKind: 'scanner',
            objectId: scanner.id,
            details: { name: scanner.name, target: scanner.target },
          });
          return scanner;
        });
        return { data: await view(changed) };
      },
      deleteScanner: async ({ context, params }) => {
        await metadata.change(undefined, async (repositories) => {
          const { name } = await repositories.scanners.get(scopeOf(context), params.id);
          await repositories.scanners.delete(scopeOf(context), params.id);
          await record(repositories, context, {
            action: 'scanner.delete',
            objectKind: 'scanner',
            objectId: params.id,
            details: { name },
          });
        });
        return { data: { id: params.id } };
      },
      startScan: async ({ context, params, body, header, signal }) => {
        const scanner = await metadata.scanners.get(scopeOf(context), params.id);
        const job = await startJob(scanner, await orderOf(scanner, body), context);
        return finished(scanner, job, header, signal);
      },
      uploadScan: async ({ context, params, query, header, signal, save }) => {
        const scanner = await metadata.scanners.get(scopeOf(context), params.id);
        const order = await orderOf(scanner, query);
        const archive = crypto.randomUUID();
        await save(folders.upload(archive));
        let job: StoredScannerJob;
        try {
          job = await startJob(scanner, { ...order, archive }, context);
        } catch (thrown) {
          rmSync(folders.upload(archive), { force: true });
          throw thrown;
        }
        return finished(scanner, job, header, signal);
      },
      listScannerJobs: async ({ context, params }) => {
        const scanner = await metadata.scanners.get(scopeOf(context), params.id);
        return {
          data: (await metadata.scanners.jobs(scanner.id, 100)).map((job) => ({
            ...jobView(job, version),
            findings: [],
          })),
          nextCursor: null,
        };
      },
      getScannerJob: async ({ context, params }) => {
        const job = await metadata.scanners.job(scopeOf(context), params.jobId);
        return answer(await metadata.scanners.get(scopeOf(context), job.scannerId), job);
      },
      cancelScannerJob: async ({ context, params }) => {
        const job = await metadata.scanners.job(scopeOf(context), params.jobId);
        const scanner = await metadata.scanners.get(scopeOf(context), job.scannerId);
        await metadata.change(undefined, async (repositories) => {
          await repositories.scanners.cancelJob(job.id);
          await record(repositories, context, {
            action: 'scanner.cancel',
            objectKind: 'scanner',
            objectId: scanner.id,
            details: { job: job.id },
          });
        });
        return answer(scanner, await metadata.scanners.job(scopeOf(context), job.id));
      },
      getScannerSarif: async ({ context, params }) => {
        const job = await metadata.scanners.job(scopeOf(context), params.jobId);
        const { sarifOf } = await import('@candela/scanners');
        const listed = job.result === null ? [] : (JSON.parse(job.result) as JobResult).findings;
        const kept = new Map(
          (
            await metadata.scanners.findings(
              scopeOf(context),
              { scannerId: job.scannerId },
              { limit: 10_000 },
            )
          ).map((one) => [one.fingerprint, findingView(one)]),
        );
        const findings = listed.map(({ id, ...rest }) => {
          const { explanation = '', fix = '', snippet = '' } = kept.get(id) ?? {};
          return { ...rest, fingerprint: id, explanation, fix, snippet, confidence: 'high' as const };
        });
        return sarifOf({ findings }, version) as { version: string };
      },
      getScannerBom: async ({ context, params }) => {
        const job = await metadata.scanners.job(scopeOf(context), params.jobId);
        const { bomOf } = await import('@candela/scanners');
        const components = await metadata.scanners.components(job.id);
        return bomOf(
          components === null ? [] : (JSON.parse(components) as Parameters<typeof bomOf>[0]),
          version,
        ) as { bomFormat: string };
      },
      ...findingHandlers({ metadata, now: () => clock.now(), version }, scopeOf),
      ...uploadHandlers({
        metadata,
        folders,
        find: (context, id) => metadata.scanners.get(scopeOf(context), id),
        answer: async (scanner, jobId) => answer(scanner, await metadata.scanners.job(scanner, jobId)),
      }),
    },
  };
}
