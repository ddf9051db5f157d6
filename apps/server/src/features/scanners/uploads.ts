import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredScanner } from '@candela/metadata-store';
import type { Finding } from '@candela/scanners';
import type { Handlers } from '../../http/handlers.ts';
import { record } from '../audit/service.ts';
import type { ScannerFolders } from './folders.ts';
import { listedOf, seenOf } from './run-scan.ts';
import type { JobResult, ScanOrder } from './views.ts';

type UploadHandlers = Pick<Handlers, 'importFindings' | 'listVulnerabilityData' | 'uploadVulnerabilityData'>;

export interface UploadParts {
  readonly metadata: MetadataStore;
  readonly folders: ScannerFolders;
  readonly find: (context: RequestContext, id: string) => Promise<StoredScanner>;
  readonly answer: (scanner: StoredScanner, jobId: string) => ReturnType<Handlers['importFindings']>;
}

/** Files that people bring: findings of other tools, and vulnerability data. */
export function uploadHandlers({ metadata, folders, find, answer }: UploadParts): UploadHandlers {
  return {
    importFindings: async ({ context, params, save }) => {
      const scanner = await find(context, params.id);
      const { detectors, findings } = await readUploadedSarif(folders, save);
      const order: ScanOrder = {
        target: scanner.target,
        ref: null,
        detectors: detectors.join(','),
        strict: false,
      };
      const { SEVERITIES } = await import('@candela/scanners');
      const job = await metadata.change(undefined, async (repositories) => {
        const made = await repositories.scanners.createJob(scanner, JSON.stringify(order));
        await repositories.scanners.startJob(made.id);
        await repositories.scanners.seen(scanner, scanner.target, detectors, await seenOf(findings));
        const left: JobResult = {
          ref: 'import',
          findings: listedOf(findings),
          sandbox: null,
          coverage: null,
          vulnerabilityData: 'none',
        };
        await repositories.scanners.endJob(made.id, {
          status: 'succeeded',
          findingCount: findings.length,
          mediumPlusCount: findings.filter(
            ({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf('medium'),
          ).length,
          result: JSON.stringify(left),
          components: null,
          error: null,
        });
        await record(repositories, context, {
          action: 'scanner.import',
          objectKind: 'scanner',
          objectId: scanner.id,
          details: { job: made.id, detectors: detectors.join(','), findings: findings.length },
        });
        return made;
      });
      return answer(scanner, job.id);
    },

    listVulnerabilityData: ({ context }) => {
      const folder = folders.vulnerabilities(context.projectId);
      const data = readdirSync(folder).flatMap((name) => {
        const ecosystem = ECOSYSTEMS.find((one) => `${one}.zip` === name);
        const found = statSync(join(folder, name), { throwIfNoEntry: false });
        return ecosystem === undefined || found === undefined
          ? []
          : [{ ecosystem, bytes: found.size, uploadedAt: found.mtime.toISOString() }];
      });
      return { data, nextCursor: null };
    },

    uploadVulnerabilityData: async ({ context, params: { ecosystem }, save }) => {
      const folder = folders.vulnerabilities(context.projectId);
      // Not `.zip` until it is whole: a scan that begins meanwhile reads the one before.
      const fresh = join(folder, `${ecosystem}.${crypto.randomUUID()}`);
      const bytes = await save(fresh);
      try {
        if (!(await isZip(fresh)))
          throw fail('refused', {
            detail: 'This is no zip archive. Upload the all.zip of the ecosystem as OSV publishes it.',
          });
        await metadata.change(undefined, async (repositories) => {
          await record(repositories, context, {
            action: 'scanner.vulnerability-data',
            objectKind: 'scanner',
            objectId: ecosystem,
            details: { bytes },
          });
        });
        renameSync(fresh, join(folder, `${ecosystem}.zip`));
      } finally {
        rmSync(fresh, { force: true });
      }
      return { data: { ecosystem, bytes } };
    },
  };
}

const ECOSYSTEMS = ['npm', 'PyPI', 'Go', 'crates.io', 'Maven'] as const;

async function isZip(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(2);
    await handle.read(head, 0, 2, 0);
    return head.toString('latin1') === 'PK';
  } finally {
    await handle.close();
  }
}

/** @throws refused it is no SARIF 2.1.0 */
async function readUploadedSarif(
  folders: ScannerFolders,
  save: (path: string) => Promise<number>,
): Promise<{ readonly detectors: readonly string[]; readonly findings: readonly Finding[] }> {
  const { readSarif, ScanError } = await import('@candela/scanners');
  const path = folders.upload(crypto.randomUUID());
  await save(path);
  try {
    let document: unknown;
    try {
      document = JSON.parse(await readFile(path, 'utf8'));
    } catch {
      throw fail('refused', { detail: 'The file is no JSON. Upload SARIF 2.1.0.' });
    }
    try {
      return readSarif(document);
    } catch (thrown) {
      if (thrown instanceof ScanError) throw fail('refused', { detail: thrown.message });
      throw thrown;
    }
  } finally {
    rmSync(path, { force: true });
  }
}
