import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What scanners keep below the data directory; names of projects are ids of ours. */
export interface ScannerFolders {
  /** A new file for an archive that waits for its scan, by the id of that. */
  upload(id: string): string;
  /** OSV dumps that were uploaded to a project. */
  vulnerabilities(projectId: string): string;
  /** Copies of bundles of rules. */
  rules(projectId: string): string;
  /** Removes archives whose scan never came. */
  sweep(nowMs: number): void;
}

const FORGOTTEN_MS = 86_400_000;

export function scannerFolders(dataDir: string): ScannerFolders {
  const made = (...parts: string[]): string => {
    const folder = join(dataDir, 'scanners', ...parts);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  return {
    upload: (id) => join(made('uploads'), id),
    vulnerabilities: (projectId) => made('vulnerabilities', projectId),
    rules: (projectId) => made('rules', projectId),
    sweep(nowMs) {
      const folder = made('uploads');
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        const age = nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs);
        if (age > FORGOTTEN_MS) rmSync(path, { force: true });
      }
    },
  };
}
