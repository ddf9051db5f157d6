import { z } from 'zod';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of scanners. */
export const SCANNER_LIMITS = {
  name: 100,
  target: 2_000,
  ref: 255,
  detectors: 500,
  token: 4_096,
  perProject: 100,
  /** Findings that an answer lists; counts are whole. */
  listed: 1_000,
  archiveBytes: 64 * 1_048_576,
  sarifBytes: 16 * 1_048_576,
  vulnerabilityBytes: 512 * 1_048_576,
  trendDays: 90,
  /** How long a scan may take. */
  seconds: 300,
} as const;

/** Names of the detectors, in the order in which they run. */
export const SCANNER_DETECTORS = [
  'secrets',
  'agent-sdk',
  'mcp',
  'agent-config',
  'skills',
  'model-files',
  'deserialization',
  'prompts',
  'models',
  'dependencies',
  'vulnerabilities',
  'licenses',
  'packages',
  'rules',
] as const;

const SCANNER_JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'timed_out'] as const;
export const FINDING_STATUSES = ['new', 'open', 'fixed', 'reopened', 'ignored'] as const;
export const FINDING_SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

const scannerRef = z
  .string()
  .min(1)
  .max(SCANNER_LIMITS.ref)
  .regex(/^(?![-/.])(?!.*\.\.)[A-Za-z0-9._/-]+$/, {
    error: 'A branch or tag: letters, digits, . _ / -, without "..".',
  });
const scannerTarget = z
  .string()
  .min(1)
  .max(SCANNER_LIMITS.target)
  .regex(/^https:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?\/[A-Za-z0-9._~/-]+$/, {
    error: 'An https address of a repository, without user and password.',
  });

const flags = {
  strict: z
    .boolean()
    .meta({ description: 'Any finding fails the scan, not only those of medium severity or above.' }),
  secretScan: z.boolean(),
  vulnScan: z.boolean(),
  licenseScan: z.boolean(),
  verbose: z.boolean().meta({ description: 'Findings come with explanation, fix and code line.' }),
  rulesRepo: scannerTarget.meta({
    description: 'Repository of a bundle of rules, used beside the built-in ones.',
  }),
  rulesRef: scannerRef,
  requireSigned: z.boolean().meta({ description: 'A bundle without a verified signature ends the scan.' }),
  noRulesUpdate: z.boolean().meta({
    description: 'The copy of the bundle that an earlier scan left is used, and nothing is fetched.',
  }),
};

export const detectorList = z
  .string()
  .max(SCANNER_LIMITS.detectors)
  .meta({ description: 'Comma-separated; empty: all.' });
const licences = z.array(z.string().min(1).max(100)).max(200);

export const scannerSettings = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(SCANNER_LIMITS.name)
    .regex(/^[^\p{Cc}]*$/u),
  target: scannerTarget,
  ref: scannerRef.nullable().meta({ description: 'Null: the default branch.' }),
  detectors: detectorList,
  flags: z.strictObject(flags).partial(),
  scheduleHours: z
    .int()
    .min(1)
    .max(720)
    .nullable()
    .meta({ description: 'Hours between scans; null: only when asked for.' }),
  licencePolicy: z.strictObject({ allow: licences, deny: licences }),
};

/** Fields of a request for a scan; a missing one is the connector's. */
export const scanRequest = z
  .strictObject({
    target: scannerTarget,
    ref: scannerRef,
    detectors: detectorList,
    ...flags,
  })
  .partial();

export const scannerConnectorSchema = z
  .object({ id: z.string(), name: z.string(), type: z.string() })
  .meta({ id: 'ScannerConnector' });

const scannerFindingSchema = z
  .object({
    id: z.string().meta({ description: 'Fingerprint: the same defect keeps it over scans.' }),
    ruleId: z.string(),
    severity: z.enum(FINDING_SEVERITIES),
    path: z.string(),
    title: z.string(),
    line: z.number().nullable(),
    detector: z.string(),
  })
  .meta({ id: 'ScannerJobFinding' });

export const scannerJobSchema = z
  .object({
    id: z.string(),
    status: z.enum(SCANNER_JOB_STATUSES),
    target: z.string(),
    ref: z.string(),
    cliVersion: z.string(),
    startedAt: isoTime.nullable(),
    finishedAt: isoTime.nullable(),
    findingCount: z.int(),
    mediumPlusCount: z.int(),
    findings: z.array(scannerFindingSchema),
    error: z.string().nullable(),
    sandbox: z.string().nullable().meta({ description: 'How the detectors were shut in.' }),
    coverage: z
      .object({
        filesSeen: z.int(),
        filesRead: z.int(),
        skipped: z.record(z.string(), z.int()),
        notes: z.array(z.string()),
      })
      .nullable(),
    vulnerabilityData: z
      .string()
      .meta({ description: '`none`, or the date of the data, with `stale` where it is old.' }),
  })
  .meta({ id: 'ScannerJob' });
export type ScannerJobView = z.output<typeof scannerJobSchema>;

export const scannerSchema = z
  .object({
    id: z.string(),
    type: z.literal('repository'),
    ...scannerSettings,
    hasToken: z.boolean(),
    version: z.int(),
    createdAt: isoTime,
    updatedAt: isoTime,
    lastJob: scannerJobSchema.nullable(),
    openFindings: z.int(),
  })
  .meta({ id: 'Scanner' });
export type ScannerView = z.output<typeof scannerSchema>;

export const findingSchema = z
  .object({
    fingerprint: z.string(),
    scannerId: z.string(),
    target: z.string(),
    detector: z.string(),
    ruleId: z.string(),
    severity: z.enum(FINDING_SEVERITIES),
    status: z.enum(FINDING_STATUSES),
    path: z.string(),
    line: z.number().nullable(),
    title: z.string(),
    explanation: z.string(),
    fix: z.string(),
    snippet: z.string(),
    reason: z.string().nullable(),
    ignoredUntil: isoTime.nullable(),
    firstSeen: isoTime,
    lastSeen: isoTime,
    fixedAt: isoTime.nullable(),
  })
  .meta({ id: 'ScannerFinding' });
export type FindingView = z.output<typeof findingSchema>;
