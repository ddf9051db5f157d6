import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditActor } from '../audit/service.ts';
import { AuditQueue } from './audit-queue.ts';

const ROWS = 450;
let dir: string;
let metadata: MetadataStore;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'candela-queue-'));
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
});
afterEach(async () => {
  await metadata.close();
  rmSync(dir, { recursive: true, force: true });
});

const actor: AuditActor = { principal: { kind: 'system' }, organisationId: 'o', requestId: 'r' };
const entry = (n: number, details = {}) =>
  ({ action: 'secret.fetch', objectKind: 'secret', objectId: `${n}`, details }) as const;

describe('rows of the audit log that come together', () => {
  it('are all kept before anybody goes on, in few transactions', async () => {
    let changes = 0;
    const queue = new AuditQueue({
      change: (call, work) => {
        changes += 1;
        return metadata.change(call, work);
      },
    });
    const kept = async () => {
      const { events } = await metadata.audit.list('o', { limit: 1_000, after: undefined });
      return new Set(events.map(({ objectId }) => objectId));
    };
    await Promise.all(
      Array.from({ length: ROWS }, async (_, n) => {
        await queue.write(actor, entry(n));
        if (n % 50 === 0) expect(await kept()).toContain(`${n}`);
      }),
    );
    expect((await kept()).size).toBe(ROWS);
    expect(changes).toBeLessThan(10);
  });

  it('are an error to all of them when they cannot be kept, and the next ones are kept', async () => {
    const queue = new AuditQueue(metadata);
    const mistake = queue.write(actor, entry(1, { password: 'never' }));
    await expect(mistake).rejects.toThrow();
    await queue.write(actor, entry(2));
    const { events } = await metadata.audit.list('o', { limit: 10, after: undefined });
    expect(events.map(({ objectId }) => objectId)).toEqual(['2']);
  });
});
