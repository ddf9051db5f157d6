import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { startPostgres } from '@candela/testkit';
import { afterAll, describe, expect, it } from 'vitest';

const REPLICA = fileURLToPath(new URL('./replica-process.ts', import.meta.url));
const ITEMS = 120;

const server = await startPostgres();
const children = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await server?.stop();
});

/** A replica and the lines that it said. */
function replica(url: string) {
  const child = spawn(process.execPath, [REPLICA, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, lines: () => text.split('\n').filter((line) => line !== '') };
}

if (server === undefined) describe.skip('replicas with jobs: no PostgreSQL here', () => it('is not tested'));
else {
  it('one runs a job, the other takes it over after a kill, and each item is done once', async () => {
    const url = await server.createDatabase();
    const store = await openMetadataStore({ dataDir: '/nowhere', databaseUrl: url, logger: silentLogger });
    await store.work.enqueue(
      'test',
      Array.from({ length: ITEMS }, (_, n) => ({ key: `${n}`, payload: n })),
    );
    const one = replica(url);
    const isBusy = () => one.lines().filter((line) => line.startsWith('item')).length >= 10;
    await expect.poll(isBusy, { timeout: 60_000, interval: 20 }).toBe(true);
    const two = replica(url);
    await expect
      .poll(async () => (await store.jobs.states()).length, { timeout: 60_000, interval: 20 })
      .toBe(1);
    one.child.kill('SIGKILL');
    await once(one.child, 'exit');
    await expect
      .poll(async () => (await store.work.counts('test')).done, { timeout: 90_000, interval: 100 })
      .toBe(ITEMS);
    expect(await store.work.counts('test')).toEqual({ queued: 0, leased: 0, done: ITEMS, failed: 0 });
    const runs = await store.jobs.runs('work', 200);
    expect(runs.map(({ outcome }) => outcome)).toContain('lost');
    expect(runs.map(({ trigger }) => trigger)).toContain('takeover');
    // The killed one held at most its two items: everything else was done by one of them only.
    const said = [...one.lines(), ...two.lines()].filter((line) => line.startsWith('item'));
    expect(new Set(said).size).toBe(ITEMS);
    expect(said.length).toBeLessThanOrEqual(ITEMS + 2);
    two.child.kill('SIGKILL');
    await once(two.child, 'exit');
    await store.close();
  });
}
