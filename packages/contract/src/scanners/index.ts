import { z } from 'zod';
import { isoTime } from '../telemetry/common.ts';
import { defineRoute, reads, type RouteDeclaration, writes } from '../route.ts';
import {
  detectorList,
  FINDING_SEVERITIES,
  FINDING_STATUSES,
  findingSchema,
  SCANNER_LIMITS,
  scannerConnectorSchema,
  scannerJobSchema,
  scannerSchema,
  scannerSettings,
  scanRequest,
} from './schemas.ts';

export {
  type FindingView,
  SCANNER_DETECTORS,
  SCANNER_LIMITS,
  type ScannerJobView,
  type ScannerView,
} from './schemas.ts';

const id = z.object({ id: z.string().min(1).max(64) });
const jobId = z.object({ jobId: z.string().min(1).max(64) });
const token = z
  .string()
  .min(1)
  .max(SCANNER_LIMITS.token)
  .regex(/^[\x21-\x7e]+$/)
  .nullable();
const common = ['metadata_unavailable'] as const;
const one = z.object({ data: scannerSchema });
const tag = 'Scanners';

const listScanners = defineRoute({
  id: 'listScanners',
  method: 'GET',
  path: '/api/scanners',
  tag,
  summary: 'Scanner connectors of the project and environment with their last job; never a token',
  permission: reads('telemetry'),
  response: z.object({ data: z.array(scannerSchema), nextCursor: z.null() }),
  errors: [...common],
});

const createScanner = defineRoute({
  id: 'createScanner',
  method: 'POST',
  path: '/api/scanners',
  tag,
  summary: 'Makes a scanner connector for a repository',
  permission: writes('telemetry'),
  success: 201,
  body: z.strictObject({
    ...scannerSettings,
    ref: scannerSettings.ref.default(null),
    detectors: scannerSettings.detectors.default(''),
    flags: scannerSettings.flags.default({}),
    scheduleHours: scannerSettings.scheduleHours.default(null),
    licencePolicy: scannerSettings.licencePolicy.default({ allow: [], deny: [] }),
    token: token
      .default(null)
      .meta({ description: 'Access token of the repository; sealed, and never shown again.' }),
  }),
  response: one,
  errors: ['conflict', 'refused', ...common],
});

const updateScanner = defineRoute({
  id: 'updateScanner',
  method: 'PUT',
  path: '/api/scanners/{id}',
  tag,
  summary: 'Replaces the settings of a scanner connector; a token that is left out stays',
  permission: writes('telemetry'),
  params: id,
  body: z.strictObject({ ...scannerSettings, version: z.int().min(1), token: token.optional() }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

const deleteScanner = defineRoute({
  id: 'deleteScanner',
  method: 'DELETE',
  path: '/api/scanners/{id}',
  tag,
  summary: 'Forgets a scanner connector with its jobs and findings',
  permission: writes('telemetry'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

const startScan = defineRoute({
  id: 'startScan',
  method: 'POST',
  path: '/api/scanners/{id}/scan',
  tag,
  summary: 'Scans the repository and answers with the finished job; with `Prefer: respond-async` at once',
  permission: writes('telemetry'),
  params: id,
  body: scanRequest,
  response: z.object({ connector: scannerConnectorSchema, job: scannerJobSchema }),
  errors: ['not_found', 'conflict', 'refused', ...common],
});

const uploadScan = defineRoute({
  id: 'uploadScan',
  method: 'POST',
  path: '/api/scanners/{id}/upload',
  tag,
  summary:
    'Scans an uploaded zip, tar or tar.gz of the repository instead of cloning it; nothing is unpacked to disk',
  permission: writes('telemetry'),
  params: id,
  query: z.strictObject({ detectors: detectorList.optional() }),
  upload: SCANNER_LIMITS.archiveBytes,
  response: z.object({ connector: scannerConnectorSchema, job: scannerJobSchema }),
  errors: ['not_found', 'conflict', 'refused', 'too_large', ...common],
});

const importFindings = defineRoute({
  id: 'importFindings',
  method: 'POST',
  path: '/api/scanners/{id}/import',
  tag,
  summary: 'Takes over the findings of another tool from SARIF 2.1.0; what a tool no longer reports is fixed',
  permission: writes('telemetry'),
  params: id,
  upload: SCANNER_LIMITS.sarifBytes,
  response: z.object({ connector: scannerConnectorSchema, job: scannerJobSchema }),
  errors: ['not_found', 'conflict', 'refused', 'too_large', ...common],
});

const ecosystem = z.enum(['npm', 'PyPI', 'Go', 'crates.io', 'Maven']);
const listVulnerabilityData = defineRoute({
  id: 'listVulnerabilityData',
  method: 'GET',
  path: '/api/scanners/vulnerability-data',
  tag,
  summary: 'OSV dumps that were uploaded to the project',
  permission: reads('telemetry'),
  response: z.object({
    data: z.array(z.object({ ecosystem, bytes: z.int(), uploadedAt: isoTime })),
    nextCursor: z.null(),
  }),
  errors: [...common],
});

const uploadVulnerabilityData = defineRoute({
  id: 'uploadVulnerabilityData',
  method: 'PUT',
  path: '/api/scanners/vulnerability-data/{ecosystem}',
  tag,
  summary: 'Replaces the OSV dump (all.zip) of an ecosystem that scans of the project look packages up in',
  permission: writes('telemetry'),
  params: z.object({ ecosystem }),
  upload: SCANNER_LIMITS.vulnerabilityBytes,
  response: z.object({ data: z.object({ ecosystem, bytes: z.int() }) }),
  errors: ['refused', 'too_large', ...common],
});

const listScannerJobs = defineRoute({
  id: 'listScannerJobs',
  method: 'GET',
  path: '/api/scanners/{id}/jobs',
  tag,
  summary: 'Jobs of a scanner, newest first; the newest 100',
  permission: reads('telemetry'),
  params: id,
  response: z.object({ data: z.array(scannerJobSchema), nextCursor: z.null() }),
  errors: ['not_found', ...common],
});

const getScannerJob = defineRoute({
  id: 'getScannerJob',
  method: 'GET',
  path: '/api/scanners/jobs/{jobId}',
  tag,
  summary: 'A scanner job with its findings',
  permission: reads('telemetry'),
  params: jobId,
  response: z.object({ connector: scannerConnectorSchema, job: scannerJobSchema }),
  errors: ['not_found', ...common],
});

const cancelScannerJob = defineRoute({
  id: 'cancelScannerJob',
  method: 'POST',
  path: '/api/scanners/jobs/{jobId}/cancel',
  tag,
  summary: 'Ends a job that waits or runs',
  permission: writes('telemetry'),
  params: jobId,
  response: z.object({ connector: scannerConnectorSchema, job: scannerJobSchema }),
  errors: ['not_found', ...common],
});

const getScannerSarif = defineRoute({
  id: 'getScannerSarif',
  method: 'GET',
  path: '/api/scanners/jobs/{jobId}/sarif',
  tag,
  summary: 'Findings of a job as SARIF 2.1.0',
  permission: reads('telemetry'),
  params: jobId,
  response: z.looseObject({ version: z.string() }).meta({ id: 'Sarif' }),
  errors: ['not_found', ...common],
});

const getScannerBom = defineRoute({
  id: 'getScannerBom',
  method: 'GET',
  path: '/api/scanners/jobs/{jobId}/bom',
  tag,
  summary: 'Packages that a job found in lock files, as CycloneDX 1.6',
  permission: reads('telemetry'),
  params: jobId,
  response: z.looseObject({ bomFormat: z.string() }).meta({ id: 'CycloneDx' }),
  errors: ['not_found', ...common],
});

const findingSelection = {
  target: z.string().max(SCANNER_LIMITS.target).optional(),
  repository: z
    .string()
    .max(SCANNER_LIMITS.target)
    .optional()
    .meta({ description: 'As coding sessions name it; "https://" and ".git" make no difference.' }),
  scannerId: z.string().max(64).optional(),
  status: z.enum(FINDING_STATUSES).optional(),
  severity: z.enum(FINDING_SEVERITIES).optional(),
  detector: z.string().max(64).optional(),
};

const trendFindings = defineRoute({
  id: 'trendFindings',
  method: 'GET',
  path: '/api/scanners/findings/trend',
  tag,
  summary: 'Findings by day: seen first, fixed, and open at its end; ignored ones are left out',
  permission: reads('telemetry'),
  query: z.strictObject({
    ...findingSelection,
    days: z.coerce.number().int().min(1).max(SCANNER_LIMITS.trendDays).default(30),
  }),
  response: z.object({
    data: z.array(z.object({ day: isoTime, found: z.int(), fixed: z.int(), open: z.int() })),
    nextCursor: z.null(),
  }),
  errors: [...common],
});

const exportFindings = defineRoute({
  id: 'exportFindings',
  method: 'GET',
  path: '/api/scanners/findings/export',
  tag,
  summary: 'Findings as a file, worst first, at most 10,000: CSV, or SARIF 2.1.0 of those that are open',
  permission: reads('telemetry'),
  query: z.strictObject({ ...findingSelection, format: z.enum(['csv', 'sarif']).default('csv') }),
  response: z.string().meta({ id: 'FindingsFile' }),
  stream: 'file',
  produces: ['text/csv', 'application/sarif+json'],
  errors: [...common],
});

const listFindings = defineRoute({
  id: 'listFindings',
  method: 'GET',
  path: '/api/scanners/findings',
  tag,
  summary: 'Findings of the project and environment, worst first',
  permission: reads('telemetry'),
  query: z.strictObject({
    ...findingSelection,
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().max(500).optional(),
  }),
  response: z.object({
    data: z.array(findingSchema),
    nextCursor: z.string().nullable(),
    counts: z
      .record(z.string(), z.int())
      .meta({ description: 'Open findings by severity, of the whole selection.' }),
  }),
  errors: [...common],
});

const updateFinding = defineRoute({
  id: 'updateFinding',
  method: 'PATCH',
  path: '/api/scanners/findings/{fingerprint}',
  tag,
  summary: 'Ignores a finding with a reason and a date, or opens it again',
  permission: writes('telemetry'),
  params: z.object({ fingerprint: z.string().regex(/^[0-9a-f]{64}$/) }),
  body: z.strictObject({
    status: z.enum(['open', 'ignored']),
    reason: z.string().trim().min(1).max(500).nullable().default(null),
    until: z.iso.datetime().nullable().default(null),
    scannerId: z.string().max(64).optional(),
  }),
  response: z.object({ data: findingSchema }),
  errors: ['not_found', 'refused', ...common],
});

/** Every route of scanners. */
export const SCANNER_ROUTES = {
  listScanners,
  createScanner,
  updateScanner,
  deleteScanner,
  startScan,
  uploadScan,
  importFindings,
  listVulnerabilityData,
  uploadVulnerabilityData,
  listScannerJobs,
  getScannerJob,
  cancelScannerJob,
  getScannerSarif,
  getScannerBom,
  listFindings,
  trendFindings,
  exportFindings,
  updateFinding,
} as const satisfies Record<string, RouteDeclaration>;
