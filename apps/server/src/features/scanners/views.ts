import type { BodyOf, FindingView, ROUTES, ScannerJobView, ScannerView } from '@candela/contract';
import type { StoredFinding, StoredScanner, StoredScannerJob } from '@candela/metadata-store';

import type { RulesOrder } from './rule-bundles.ts';

/** Settings of a scanner as its row keeps them. */
export type ScannerSettings = Pick<
  BodyOf<typeof ROUTES.createScanner>,
  'detectors' | 'flags' | 'licencePolicy'
>;

/** What a job was asked for, with the connector's defaults filled in. */
export interface ScanOrder {
  readonly target: string;
  readonly ref: string | null;
  readonly detectors: string;
  readonly strict: boolean;
  /** An uploaded file is scanned instead of a clone; its name in the folder of uploads. */
  readonly archive?: string;
  readonly rules?: RulesOrder;
}

/** What a job leaves beside its counts. */
export interface JobResult
  extends Pick<ScannerJobView, 'findings' | 'sandbox' | 'coverage' | 'vulnerabilityData'> {
  readonly ref: string;
}

/** Texts of a finding as its row keeps them. */
export type FindingTexts = Pick<FindingView, 'title' | 'explanation' | 'fix' | 'snippet'>;

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

export const connectorOf = ({ id, name }: StoredScanner) => ({ id, name, type: 'repository' });

export function jobView(job: StoredScannerJob, version: string): ScannerJobView {
  // Written by this feature and nobody else.
  const order = JSON.parse(job.request) as ScanOrder;
  const result = job.result === null ? undefined : (JSON.parse(job.result) as JobResult);
  return {
    id: job.id,
    status: job.status,
    target: order.target,
    ref: result?.ref ?? order.ref ?? '',
    cliVersion: version,
    startedAt: isoOrNull(job.startedAt),
    finishedAt: isoOrNull(job.finishedAt),
    findingCount: job.findingCount,
    mediumPlusCount: job.mediumPlusCount,
    findings: result?.findings ?? [],
    error: job.error,
    sandbox: result?.sandbox ?? null,
    coverage: result?.coverage ?? null,
    vulnerabilityData: result?.vulnerabilityData ?? 'none',
  };
}

export function scannerView(
  scanner: StoredScanner,
  more: { readonly lastJob: ScannerJobView | null; readonly openFindings: number },
): ScannerView {
  const settings = JSON.parse(scanner.settings) as ScannerSettings;
  const { id, name, target, ref, scheduleHours, token, version, createdAt, updatedAt } = scanner;
  return {
    id,
    type: 'repository',
    name,
    target,
    ref,
    scheduleHours,
    ...settings,
    hasToken: token !== null,
    version,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    ...more,
  };
}

export function findingView(finding: StoredFinding): FindingView {
  const { severityRank: _, texts, severity, ignoredUntil, firstSeen, lastSeen, fixedAt, ...rest } = finding;
  return {
    ...rest,
    // Written from the list of severities.
    severity: severity as FindingView['severity'],
    ...(JSON.parse(texts) as FindingTexts),
    ignoredUntil: isoOrNull(ignoredUntil),
    firstSeen: iso(firstSeen),
    lastSeen: iso(lastSeen),
    fixedAt: isoOrNull(fixedAt),
  };
}
