import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alertInputSchema } from '@candela/contract';
import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { startMessageReceiver, startPostgres } from '@candela/testkit';
import { afterAll, expect, it } from 'vitest';

const REPLICA = fileURLToPath(new URL('./replica-process.ts', import.meta.url));
/** CANDELA_ALERT_KILLS makes more of them. */
const KILLS = Number(process.env['CANDELA_ALERT_KILLS'] ?? '6');
/** Between a replica that is ready and the next kill. */
const BETWEEN_MS = 300;

/** A replica starts in a second, on a busy machine in twenty. */
const LONG = { timeout: 120_000 + KILLS * 30_000 };

const server = await startPostgres();
const receiver = await startMessageReceiver();
const children = new Set<ChildProcess>();
const dir = await mkdtemp(join(tmpdir(), 'candela-alerts-'));
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await receiver.close();
  await server?.stop();
  await rm(dir, { recursive: true, force: true });
});
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Received {
  readonly id: string;
  readonly events: readonly string[];
}
const received = (): Received[] =>
  receiver.messages.map(({ headers, body }) => ({
    id: String(headers['webhook-id']),
    events: (JSON.parse(body) as { data: { events: { id: string }[] } }).data.events.map(({ id }) => id),
  }));

if (server === undefined) {
  process.stderr.write('\nSKIPPED: replicas with alerts were not tried: no PostgreSQL here\n\n');
  it.skip('of what flaps nothing is lost and nothing told under two ids, whoever is killed');
} else {
  it('of what flaps nothing is lost and nothing told under two ids, whoever is killed', LONG, async () => {
    const url = await server.createDatabase();
    const store = await openMetadataStore({ dataDir: '/nowhere', databaseUrl: url, logger: silentLogger });
    await store.alertDestinations.create('p', 'd', {
      name: 'Hook',
      enabled: true,
      channel: JSON.stringify({ kind: 'webhook', url: receiver.url }),
      secret: null,
      secretBefore: null,
      beforeUntil: null,
    });
    const alert = alertInputSchema.parse({
      name: 'Flapping',
      source: {
        kind: 'threshold',
        windowSeconds: 60,
        query: { kind: 'aggregate', body: { groupBy: ['service'] } },
        condition: { op: '>', value: 10 },
      },
      intervalSeconds: 30,
      delaySeconds: 0,
      groupWaitSeconds: 0,
      groupIntervalSeconds: 0,
      repeatSeconds: 0,
      destinations: ['d'],
    });
    await store.alerts.create(
      { organisationId: 'o', projectId: 'p', environment: null, databaseConfigId: 'embedded' },
      { name: alert.name, kind: 'threshold', enabled: true, definition: JSON.stringify(alert) },
      'test',
    );
    const begin = Date.now();
    const quiet = join(dir, 'quiet');
    const replica = async () => {
      const child = spawn(process.execPath, [REPLICA, url, String(begin), quiet], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.add(child);
      // One that is killed before it began tries nothing.
      const [ready] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as unknown[];
      if (!Buffer.isBuffer(ready)) throw new Error('A replica ended before it was ready.');
      return child;
    };
    const running = await Promise.all([replica(), replica()]);
    await expect.poll(() => receiver.messages.length, { timeout: 60_000, interval: 50 }).toBeGreaterThan(0);
    for (let round = 0; round < KILLS; round += 1) {
      await pause(BETWEEN_MS);
      const victim = running.shift();
      victim?.kill('SIGKILL');
      if (victim !== undefined) await once(victim, 'exit');
      running.push(await replica());
    }
    // Some minutes more, of the clock of the replicas, for what fires and ends at last.
    await pause(6_000);
    await writeFile(quiet, '');
    const states = async () => (await store.alerts.states('p')).length;
    const isQuiet = async () => {
      if ((await states()) > 0) return false;
      const deliveries = await store.alertDeliveries.list('p', { limit: 5_000 });
      return deliveries.every(({ status }) => status === 'sent');
    };
    await expect.poll(isQuiet, { timeout: 120_000, interval: 200 }).toBe(true);
    const history = await store.alerts.events('p', { limit: 20_000 });
    const told = new Map<string, Set<string>>();
    for (const { id, events } of received()) {
      for (const event of events) told.set(event, (told.get(event) ?? new Set()).add(id));
    }
    expect(history.length).toBeGreaterThan(KILLS);
    expect(history.filter(({ id }) => !told.has(id))).toEqual([]);
    expect([...told].filter(([, ids]) => ids.size > 1)).toEqual([]);
    // Each group fires and resolves by turns: a transition that was lost or doubled would break that.
    for (const events of Map.groupBy(history, ({ groupKey }) => groupKey).values()) {
      const order = events.toSorted((a, b) => a.at - b.at).map(({ status }) => status);
      expect(order.every((status, index) => status === (index % 2 === 0 ? 'firing' : 'resolved'))).toBe(true);
    }
    await store.close();
  });
}
