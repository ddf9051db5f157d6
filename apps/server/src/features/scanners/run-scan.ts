import { SCANNER_LIMITS, type ScannerJobView } from '@candela/contract';
import type { Logger } from '@candela/kernel';
import type { JobEnd, MetadataStore, StoredScanner, StoredScannerJob } from '@candela/metadata-store';
import type { Finding, VulnerabilityIndex } from '@candela/scanners';
import { runDetectors, SANDBOX } from './child.ts';
import { type CloneRequest, CloneError, cloneRepository } from './clone.ts';
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
    readonly osvDir: string | undefined;
  };
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
    if (end.status === 'failed' && !(thrown instanceof CloneError))
      logger.warn({ err: thrown, job: job.id }, 'a scan failed');
  } finally {
    clearTimeout(late);
    clearInterval(poll);
  }
  await metadata.scanners.endJob(job.id, end);
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
  const request: CloneRequest = {
    target: order.target,
    ref: order.ref,
    // The token belongs to the repository of the connector; another target gets none.
    token: order.target === scanner.target ? parts.tokenOf(scanner) : null,
    hosts: HOSTS,
    trustedHosts: parts.settings.hosts,
    caFile: parts.settings.caFile,
  };
  const scanners = await import('@candela/scanners');
  const detectors = order.detectors.split(',');
  const today = new Date(parts.now()).toISOString().slice(0, 10);
  const settings = { licencePolicy, knownPackages: {}, today };
  const clone = await cloneRepository(request, signal);
  try {
    const skipped = new Map<string, number>();
    const inChild = detectors.filter((id) => id !== 'vulnerabilities');
    // Packages are needed by the detector that looks them up here, where its data is.
    if (detectors.includes('vulnerabilities') && !inChild.includes('dependencies'))
      inChild.push('dependencies');
    const result = await runDetectors(
      { detectors: inChild.join(','), settings },
      clone.files(skipped),
      signal,
    );
    const index = vulnerabilityIndex(parts, scanners.readOsvFolder);
    const components = [...result.components];
    const known = detectors.includes('vulnerabilities')
      ? scanners.scanComponents(components, { ...settings, vulnerabilities: index }, ['vulnerabilities'])
      : [];
    const findings = [...result.findings.filter(({ detector }) => detectors.includes(detector)), ...known];
    const rank = ({ severity }: Finding) => scanners.SEVERITIES.indexOf(severity);
    findings.sort((a, b) => rank(a) - rank(b));
    await parts.metadata.change(undefined, ({ scanners: kept }) =>
      kept.seen(
        scanner,
        order.target,
        detectors,
        findings.map((one) => {
          const { title, explanation, fix, snippet } = one;
          const texts: FindingTexts = { title, explanation, fix, snippet };
          return {
            fingerprint: one.fingerprint,
            detector: one.detector,
            ruleId: one.ruleId,
            severity: one.severity,
            severityRank: rank(one),
            path: one.path,
            line: one.line,
            texts: JSON.stringify(texts),
          };
        }),
      ),
    );
    const listed: ScannerJobView['findings'] = findings
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
    const left: JobResult = {
      ref: clone.ref,
      findings: listed,
      sandbox: SANDBOX,
      coverage: {
        ...result.coverage,
        skipped: { ...result.coverage.skipped, ...Object.fromEntries(skipped) },
        notes: [...result.coverage.notes],
      },
      vulnerabilityData: dataOf(index),
    };
    const mediumPlusCount = findings.filter(
      (one) => rank(one) <= scanners.SEVERITIES.indexOf('medium'),
    ).length;
    const bom = JSON.stringify(components);
    return {
      status: order.strict && findings.length > 0 ? 'failed' : 'succeeded',
      findingCount: findings.length,
      mediumPlusCount,
      result: JSON.stringify(left),
      components: bom.length > MAX_COMPONENTS_JSON ? null : bom,
      error:
        order.strict && findings.length > 0 ? `${findings.length} findings, and the scan is strict.` : null,
    };
  } finally {
    clone.remove();
  }
}

const dataOf = (index: VulnerabilityIndex | undefined): string =>
  index === undefined || index.data.state === 'none'
    ? 'none'
    : `${index.data.date}${index.data.state === 'stale' ? ' (stale)' : ''}`;

let cached: { readonly folder: string; readonly at: number; readonly index: VulnerabilityIndex } | undefined;
const INDEX_MS = 600_000;

/** The index of the folder, read again after ten minutes. A folder that cannot be read is no data, which the job says. */
function vulnerabilityIndex(
  { settings, now, logger }: ScanParts,
  read: (folder: string, nowMs: number) => VulnerabilityIndex,
): VulnerabilityIndex | undefined {
  const folder = settings.osvDir;
  if (folder === undefined) return undefined;
  if (cached?.folder === folder && now() - cached.at < INDEX_MS) return cached.index;
  try {
    cached = { folder, at: now(), index: read(folder, now()) };
    return cached.index;
  } catch (error) {
    logger.warn({ err: error }, 'the vulnerability data of PLATFORM_OSV_DIR cannot be read');
    return undefined;
  }
}
