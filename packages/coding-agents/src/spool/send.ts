import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from './files.ts';
import type { Folders } from './folders.ts';
import { setAside } from './step.ts';

export interface Target {
  /** Address of the platform, without a path behind it. */
  readonly endpoint: string;
  readonly apiKey?: string;
}

export type Sent = { readonly sent: number; readonly failure?: string };

const refused = (status: number) =>
  `The platform refuses the key (${status}). Set one that may ingest: candela coding configure --api-key KEY`;

/** Sends the outbox in its order; what is acknowledged is deleted. Stops at the first that the platform cannot take now. */
export async function send(
  folders: Folders,
  { endpoint, apiKey }: Target,
  timeoutMs = 15_000,
): Promise<Sent> {
  let sent = 0;
  for (const name of namesIn(folders.outbox)) {
    const kind = /\.(traces|metrics)\.json$/.exec(name)?.[1];
    if (kind === undefined) continue;
    const file = join(folders.outbox, name);
    try {
      const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/${kind}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
        body: readFileSync(file),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      if (response.ok) {
        rmSync(file, { force: true });
        sent += 1;
      } else if (response.status === 400 || response.status === 413) {
        // It will be refused for ever.
        setAside(folders, file, name);
      } else if (response.status === 401 || response.status === 403) {
        return { sent, failure: refused(response.status) };
      } else return { sent, failure: `The platform answered ${response.status}` };
    } catch (thrown) {
      const cause =
        thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : String(thrown);
      return { sent, failure: `${endpoint} cannot be reached: ${cause}` };
    }
  }
  return { sent };
}
