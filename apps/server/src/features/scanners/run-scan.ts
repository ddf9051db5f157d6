import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SCANNER_LIMITS, type ScannerJobView } from '@candela/contract';
import type { Logger } from '@candela/kernel';
import type {
  JobEnd,
  MetadataStore,
  SeenFinding,
  StoredScanner,
  StoredScannerJob,
} from '@candela/metadata-store';
import type { Finding, ScanResult } from '@candela/scanners';
import { DetectorsEnded, runDetectors, SANDBOX } from './child.ts';
import { type Clone, CloneError, cloneRepository } from './clone.ts';
import type { ScannerFolders } from './folders.ts';
import { loadRules } from './rule-bundles.ts';
import type { FindingTexts, JobResult, ScanOrder, ScannerSettings } from './views.ts';

const CANCEL_POLL_MS = 400;
const MAX_COMPONENTS_JSON = 8 * 1_048_576;
const HOSTS = ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'];

export interface ScanParts {
  readonly metadata: MetadataStore;
  readonly logger: Logger;
  readonly settings: {
    readonly hosts: readonly string[];
    readonly caFile: string | undefined;
    readonly ruleKeysFile: string | undefined;
    readonly osvDir: string | undefined;
  };
  readonly folders: ScannerFolders;
  /** The access token of a scanner, opened. @throws secret_unreadable */
  readonly tokenOf: (scanner: StoredScanner) => string | null;
  readonly now: () => number;
}

class Cancelled extends Error {}
class TimedOut extends Error {}

/** Scans one repository and keeps what it found. Always ends the job, unless the platform itself stops. */
export async function runScan(
  parts: ScanParts,
  job: StoredScannerJob,
  scanner: StoredScanner,
  stopping: AbortSignal,
): Promise<void> {
  const { metadata, logger } = parts;
  if (job.status !== 'queued' && job.status !== 'running') return;
  await metadata.scanners.startJob(job.id);
  const ended = new AbortController();
  const late = setTimeout(() => ended.abort(new TimedOut()), SCANNER_LIMITS.seconds * 1_000);
  const poll = setInterval(() => {
    metadata.scanners.findJob(job.id).then(
      (found) => (found === undefined || found.job.cancelled ? ended.abort(new Cancelled()) : undefined),
      () => undefined,
    );
  }, CANCEL_POLL_MS);
  const signal = AbortSignal.any([ended.signal, stopping]);
  let end: JobEnd;
  try {
    end = await scanOnce(parts, job, scanner, signal);
  } catch (thrown) {
    if (stopping.aborted) throw thrown;
    const reason: unknown = ended.signal.aborted ? ended.signal.reason : thrown;
    end = failure(reason);
    if (end.status === 'failed' && !(thrown instanceof CloneError || thrown instanceof DetectorsEnded))
      logger.warn({ err: thrown, job: job.id }, 'a scan failed');
  } finally {
    clearTimeout(late);
    clearInterval(poll);
  }
  await metadata.scanners.endJob(job.id, end);
  const { archive } = JSON.parse(job.request) as ScanOrder;
  if (archive !== undefined) await rm(parts.folders.upload(archive), { force: true });
}

function failure(reason: unknown): JobEnd {
  const none = { findingCount: 0, mediumPlusCount: 0, result: null, components: null };
  if (reason instanceof Cancelled) return { ...none, status: 'cancelled', error: 'It was cancelled.' };
  if (reason instanceof TimedOut) {
    return {
      ...none,
      status: 'timed_out',
      error: `The scan was not done after ${SCANNER_LIMITS.seconds} s. Choose fewer detectors or a smaller repository.`,
    };
  }
  const text = reason instanceof Error ? reason.message : 'The scan failed.';
  return { ...none, status: 'failed', error: text.slice(0, 500) };
}

async function scanOnce(
  parts: ScanParts,
  job: StoredScannerJob,
  scanner: StoredScanner,
  signal: AbortSignal,
): Promise<JobEnd> {
  const order = JSON.parse(job.request) as ScanOrder;
  const { licencePolicy } = JSON.parse(scanner.settings) as ScannerSettings;
  const places = {
    hosts: HOSTS,
    trustedHosts: parts.settings.hosts,
    caFile: parts.settings.caFile,
  };
  const { SEVERITIES } = await import('@candela/scanners');
  const detectors = order.detectors.split(',');
  const bundle =
    order.rules &&
    (await loadRules(
      order.rules,
      places,
      { folder: parts.folders.rules(scanner.projectId), keysFile: parts.settings.ruleKeysFile },
      signal,
    ));
  const tree =
    order.archive === undefined
      ? await cloneRepository(
          {
            ...places,
            target: order.target,
            ref: order.ref,
            // The token belongs to the repository of the connector; another target gets none.
            token: order.target === scanner.target ? parts.tokenOf(scanner) : null,
          },
          signal,
        )
      : await uploaded(parts.folders.upload(order.archive));
  try {
    const skipped = new Map<string, number>();
    // Packages are needed by the detector that looks them up.
    const needed =
      detectors.includes('vulnerabilities') && !detectors.includes('dependencies') ? ['dependencies'] : [];
    const result = await runDetectors(
      {
        detectors: [...detectors, ...needed].join(','),
        settings: {
          licencePolicy,
          knownPackages: {},
          today: new Date(parts.now()).toISOString().slice(0, 10),
          rules: bundle?.rules,
        },
        isArchive: order.archive !== undefined,
        osvFolders: detectors.includes('vulnerabilities') ? osvFolders(parts, scanner) : [],
        nowMs: parts.now(),
      },
      tree.files(skipped),
      signal,
    );
    const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
    const findings = result.findings
      .filter(({ detector }) => detectors.includes(detector))
      .toSorted((a, b) => rank(a) - rank(b));
    const seen = await seenOf(findings);
    await parts.metadata.change(undefined, ({ scanners: kept }) =>
      kept.seen(scanner, order.target, detectors, seen),
    );
    const left: JobResult = {
      ref: tree.ref,
      findings: listedOf(findings),
      sandbox: SANDBOX,
      coverage: {
        ...result.coverage,
        skipped: { ...result.coverage.skipped, ...Object.fromEntries(skipped) },
        notes: [...result.coverage.notes, ...(bundle === undefined ? [] : [bundle.note])],
      },
      vulnerabilityData: dataOf(result.vulnerabilityData),
    };
    const mediumPlusCount = findings.filter((one) => rank(one) <= SEVERITIES.indexOf('medium')).length;
    const bom = JSON.stringify(result.components);
    const isBad = order.strict && findings.length > 0;
    return {
      status: isBad ? 'failed' : 'succeeded',
      findingCount: findings.length,
      mediumPlusCount,
      result: JSON.stringify(left),
      components: bom.length > MAX_COMPONENTS_JSON ? null : bom,
      error: isBad ? `${findings.length} findings, and the scan is strict.` : null,
    };
  } finally {
    tree.remove();
  }
}

/** An uploaded archive as one file: the child unpacks it. @throws CloneError it is not here */
async function uploaded(path: string): Promise<Pick<Clone, 'ref' | 'files' | 'remove'>> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch {
    throw new CloneError(
      'The uploaded archive is not here any more, or it was sent to another process of the platform. Upload it again.',
    );
  }
  return {
    ref: 'upload',
    async *files() {
      yield { path: 'archive', content };
    },
    remove: () => undefined,
  };
}

/** Findings as they are kept. */
export async function seenOf(findings: readonly Finding[]): Promise<SeenFinding[]> {
  const { SEVERITIES } = await import('@candela/scanners');
  return findings.map((one) => {
    const { title, explanation, fix, snippet } = one;
    const texts: FindingTexts = { title, explanation, fix, snippet };
    return {
      fingerprint: one.fingerprint,
      detector: one.detector,
      ruleId: one.ruleId,
      severity: one.severity,
      severityRank: SEVERITIES.indexOf(one.severity),
      path: one.path,
      line: one.line,
      texts: JSON.stringify(texts),
    };
  });
}

/** Findings as a job lists them. */
export const listedOf = (findings: readonly Finding[]): ScannerJobView['findings'] =>
  findings
    .slice(0, SCANNER_LIMITS.listed)
    .map(({ fingerprint, ruleId, severity, path, title, line, detector }) => ({
      id: fingerprint,
      ruleId,
      severity,
      path,
      title,
      line,
      detector,
    }));

const dataOf = (data: ScanResult['vulnerabilityData']): string =>
  data.state === 'none' ? 'none' : `${data.date}${data.state === 'stale' ? ' (stale)' : ''}`;

/** Where vulnerability data may lie: what the operator has, and what was uploaded to the project. */
function osvFolders({ settings, folders, logger }: ScanParts, { projectId }: StoredScanner): string[] {
  const own = folders.vulnerabilities(projectId);
  if (settings.osvDir === undefined) return [own];
  if (existsSync(settings.osvDir)) return [resolve(settings.osvDir), own];
  logger.warn({ folder: settings.osvDir }, 'there is no folder PLATFORM_OSV_DIR');
  return [own];
}
