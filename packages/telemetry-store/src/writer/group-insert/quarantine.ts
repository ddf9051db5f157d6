import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeDurably } from '../wal/files.ts';

export interface SetAsideRequest {
  readonly seq: number;
  readonly table: string;
  readonly tenant: string;
  readonly timeMs: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/**
 * Keeps the block of a request that the store cannot take: `quarantine/<seq>-<table>.native` with a `.json` beside it
 * that says whose it is. The same request always gets the same name. Returns the path.
 */
export async function setAside(dir: string, request: SetAsideRequest): Promise<string> {
  const folder = join(dir, 'quarantine');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const base = join(folder, `${request.seq}-${request.table}`);
  const { bytes, ...about } = request;
  await writeDurably(`${base}.native`, bytes);
  await writeDurably(
    `${base}.json`,
    Buffer.from(`${JSON.stringify({ ...about, time: new Date(request.timeMs).toISOString() })}\n`),
  );
  await syncDirectory(folder);
  return `${base}.native`;
}
