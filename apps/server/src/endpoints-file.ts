import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Addresses of a running platform, as `endpoints.json` of its data directory holds them. */
export interface Endpoints {
  readonly http: string;
  readonly otlpHttp: string;
  readonly otlpGrpc: string;
  readonly pid: number;
}

const pathIn = (dataDir: string): string => join(dataDir, 'endpoints.json');

/** Tells programs of the same machine (`npm run demo`, `candela`) where this platform listens. A full disk is no reason to fail. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  try {
    writeFileSync(pathIn(dataDir), `${JSON.stringify(endpoints)}\n`, { mode: 0o600 });
  } catch {
    // Those programs take an address as an argument, too.
  }
}

/** Removes what `writeEndpoints` wrote. */
export function removeEndpoints(dataDir: string): void {
  try {
    rmSync(pathIn(dataDir), { force: true });
  } catch {
    // A file that stays names a process that is gone, which its readers notice.
  }
}
