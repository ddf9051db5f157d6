import { createHash } from 'node:crypto';
import { fail } from '@candela/kernel';
import type { Access } from './access.ts';

/** A call that may come twice, because its sender did not see the first answer. */
export interface Call {
  /** Who asks what: tenant, principal, route. */
  readonly scope: string;
  readonly key: string;
  /** What is asked: the same key with another request is a mistake. */
  readonly request: unknown;
}

const KEEP_MS = 24 * 3_600_000;

/** The remembered answer of a call, or undefined when it is new. @throws refused when the key was used for another one */
export async function recall(access: Access, call: Call): Promise<{ readonly answer: unknown } | undefined> {
  const { database, clock } = access;
  await database
    .deleteFrom('idempotency')
    .where('created_at', '<', clock.now() - KEEP_MS)
    .execute();
  const row = await database
    .selectFrom('idempotency')
    .select(['request_hash', 'answer'])
    .where('scope', '=', call.scope)
    .where('key', '=', call.key)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.request_hash !== hashOf(call.request)) {
    throw fail('refused', {
      detail: 'This Idempotency-Key was used for another request. Take a new key for a new request.',
    });
  }
  return { answer: JSON.parse(row.answer) as unknown };
}

export async function remember({ database, clock }: Access, call: Call, answer: unknown): Promise<void> {
  await database
    .insertInto('idempotency')
    .values({
      scope: call.scope,
      key: call.key,
      request_hash: hashOf(call.request),
      answer: JSON.stringify(answer),
      created_at: clock.now(),
    })
    .execute();
}

const hashOf = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');
