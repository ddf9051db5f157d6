import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DownloadCounter } from './downloads.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const CONTENT = { prompt: 'x', tags: [], meta: {} };

let dir: string;
let metadata: MetadataStore;
let now = Date.UTC(2026, 10, 20, 12);
const clock = { now: () => now };
let promptId: string;
let versionId: string;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 20, 12);
  dir = await mkdtemp(join(tmpdir(), 'candela-downloads-'));
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger, clock });
  const made = await metadata.change(undefined, ({ prompts }) =>
    prompts.create(HERE, { name: 'a', content: CONTENT, by: null }, { major: 1, minor: 0, patch: 0 }),
  );
  promptId = made.id;
  versionId = made.latest?.id ?? '';
});
afterEach(async () => {
  await metadata.close();
  await rm(dir, { recursive: true, force: true });
});

const usage = () => metadata.prompts.usage(HERE, promptId, { from: '2000', to: '3000', limit: 1_000 });
const total = async () => (await usage()).total;

describe('downloads', () => {
  it('are written behind, by version, client and day', async () => {
    const counter = new DownloadCounter({ metadata, clock, logger: silentLogger });
    for (const source of ['ts-sdk', 'ts-sdk', ' ', undefined, null, 'x\ny', 'x'.repeat(99)])
      counter.count(promptId, versionId, source);
    expect(await total()).toBe(0);
    await expect.poll(total, { timeout: 30_000 }).toBe(7);
    now += 86_400_000;
    counter.count(promptId, versionId, 'ts-sdk');
    await counter.stop();
    const { rows } = await usage();
    expect(rows.map(({ day, source, count }) => [day, source, count])).toEqual([
      ['2026-11-21', 'ts-sdk', 1],
      ['2026-11-20', 'api', 3],
      ['2026-11-20', 'other', 2],
      ['2026-11-20', 'ts-sdk', 2],
    ]);
  });

  it('tell so many clients apart and no more', async () => {
    const counter = new DownloadCounter({ metadata, clock, logger: silentLogger });
    for (let n = 0; n < 1_000; n++) counter.count(promptId, versionId, `client-${n}`);
    await counter.stop();
    const { rows } = await usage();
    expect(rows).toHaveLength(51);
    expect(rows[0]).toMatchObject({ source: 'other', count: 950 });
  });

  it('wait while the store takes none, and count once when only its answer was lost', async () => {
    let answers: 'refused' | 'lost' | 'given' = 'refused';
    let asked = 0;
    const failing: MetadataStore = {
      ...metadata,
      change: async (call, work) => {
        asked += 1;
        if (answers === 'refused') throw fail('metadata_unavailable', { seconds: 5 });
        const made = await metadata.change(call, work);
        if (answers === 'lost') throw fail('metadata_unavailable', { seconds: 5 });
        return made;
      },
    };
    const counter = new DownloadCounter({ metadata: failing, clock, logger: silentLogger });
    const nextTry = async () => {
      const before = asked;
      await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(before);
    };
    counter.count(promptId, versionId, 'a');
    await nextTry();
    counter.count(promptId, versionId, 'a');
    await nextTry();
    expect(await total()).toBe(0);
    answers = 'lost';
    await expect.poll(total, { timeout: 30_000 }).toBe(1);
    await nextTry();
    expect(await total()).toBe(1);
    answers = 'given';
    counter.count(promptId, versionId, 'b');
    await counter.stop();
    expect(await total()).toBe(3);
  });

  it('are forgotten after 400 days', async () => {
    const counter = new DownloadCounter({ metadata, clock, logger: silentLogger });
    counter.count(promptId, versionId, 'old');
    await expect.poll(total, { timeout: 30_000 }).toBe(1);
    now += 401 * 86_400_000;
    counter.count(promptId, versionId, 'new');
    await counter.stop();
    expect((await usage()).rows).toMatchObject([{ source: 'new', count: 1 }]);
  });

  it('say how many were lost when the store is away at the end', async () => {
    const told: unknown[] = [];
    const logger = { ...silentLogger, error: (...line: unknown[]) => told.push(line) };
    const counter = new DownloadCounter({ metadata, clock, logger });
    counter.count(promptId, versionId, 'a');
    await metadata.close();
    await counter.stop();
    expect(JSON.stringify(told)).toContain('"lost":1');
    metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger, clock });
  });
});
