import { z } from 'zod';
import { defineRoute, reads, type RouteDeclaration, writes } from '../route.ts';
import {
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

export { type FindingView, SCANNER_LIMITS, type ScannerJobView, type ScannerView } from './schemas.ts';

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

const listFindings = defineRoute({
  id: 'listFindings',
  method: 'GET',
  path: '/api/scanners/findings',
  tag,
  summary: 'Findings of the project and environment, worst first',
  permission: reads('telemetry'),
  query: z.strictObject({
    target: z.string().max(SCANNER_LIMITS.target).optional(),
    scannerId: z.string().max(64).optional(),
    status: z.enum(FINDING_STATUSES).optional(),
    severity: z.enum(FINDING_SEVERITIES).optional(),
    detector: z.string().max(64).optional(),
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
  listScannerJobs,
  getScannerJob,
  cancelScannerJob,
  getScannerSarif,
  getScannerBom,
  listFindings,
  updateFinding,
} as const satisfies Record<string, RouteDeclaration>;
