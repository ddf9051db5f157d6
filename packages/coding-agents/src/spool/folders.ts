import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the spool below its state folder; all of them only for their owner. */
export interface Folders {
  /** Where hooks write, one file an event. */
  readonly spool: string;
  /** Events that the drainer has taken, in the order of their arrival. */
  readonly taken: string;
  /** Steps that are decided and may be half done. */
  readonly commits: string;
  /** Requests that the platform has not acknowledged. */
  readonly outbox: string;
  readonly sessions: string;
  /** Payloads that are none, and requests that the platform will never take. */
  readonly bad: string;
  /** Keys of responses that were counted, a line each. */
  readonly responses: string;
  readonly lock: string;
  readonly status: string;
  /** While it exists hooks write nothing. */
  readonly full: string;
}

export function foldersIn(state: string): Folders {
  return {
    spool: join(state, 'spool'),
    taken: join(state, 'taken'),
    commits: join(state, 'commits'),
    outbox: join(state, 'outbox'),
    sessions: join(state, 'sessions'),
    bad: join(state, 'bad'),
    responses: join(state, 'responses.log'),
    lock: join(state, 'drainer.pid'),
    status: join(state, 'status.json'),
    full: join(state, 'spool', 'full'),
  };
}

export function makeFolders(state: string): Folders {
  const folders = foldersIn(state);
  for (const key of ['spool', 'taken', 'commits', 'outbox', 'sessions', 'bad'] as const) {
    mkdirSync(folders[key], { recursive: true, mode: 0o700 });
  }
  return folders;
}
