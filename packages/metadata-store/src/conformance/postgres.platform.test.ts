import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { startPostgres } from '@candela/testkit';
import { Kysely, sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import { postgresDialect } from '../dialects/postgres/index.ts';
import { openMetadataStore } from '../index.ts';
import { migrateMetadata } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { describeAlerts } from './alerts-suite.ts';
import { describeChanges } from './changes-suite.ts';
import { describeOauth } from './oauth-suite.ts';
import { describeIdentity } from './identity-suite.ts';
import { describeConnectors } from './connectors-suite.ts';
import { describeControllers } from './controllers-suite.ts';
import { describeJobs } from './jobs-suite.ts';
import { describeBoards } from './boards-suite.ts';
import { describeChats } from './chats-suite.ts';
import { describeJudging } from './judging-suite.ts';
import { describeMedia } from './media-suite.ts';
import { describeModels } from './models-suite.ts';
import { describeDisputes } from './disputes-suite.ts';
import { describePrices } from './prices-suite.ts';
import { describePrompts } from './prompts-suite.ts';
import { describeRules } from './rules-suite.ts';
import { describeMetadataStore } from './suite.ts';
import { describeVault } from './vault-suite.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const open = (databaseUrl: string) =>
  openMetadataStore({ dataDir: '/nowhere', databaseUrl, logger: silentLogger });
const VIEW = { page: 'traces', name: 'x', description: null, search: '' };

if (server === undefined)
  describe.skip('metadata store on PostgreSQL: no PostgreSQL here', () => it('is not tested'));
else {
  const place = async () => {
    const url = await server.createDatabase();
    return { dialect: () => postgresDialect(url, silentLogger), dispose: async () => undefined };
  };
  describeMetadataStore('PostgreSQL', place);
  describeConnectors('PostgreSQL', place);
  describeControllers('PostgreSQL', place);
  describeVault('PostgreSQL', place);
  describeModels('PostgreSQL', place);
  describeMedia('PostgreSQL', place);
  describePrices('PostgreSQL', place);
  describeDisputes('PostgreSQL', place);
  describeJobs('PostgreSQL', place);
  describeBoards('PostgreSQL', place);
  describeAlerts('PostgreSQL', place);
  describeChats('PostgreSQL', place);
  describeJudging('PostgreSQL', place);
  describeIdentity('PostgreSQL', place);
  describeOauth('PostgreSQL', place);
  describePrompts('PostgreSQL', place);
  describeRules('PostgreSQL', place);
  describeChanges('PostgreSQL', place);

  describe('replicas on one PostgreSQL', () => {
    it('start together on an empty database: each migration is made once', async () => {
      const url = await server.createDatabase();
      const stores = await Promise.all(Array.from({ length: 5 }, () => open(url)));
      const names = stores.map((store, n) => codeOf(store.views.create('a', { ...VIEW, name: `v${n % 2}` })));
      expect((await Promise.all(names)).toSorted()).toEqual(['conflict', 'conflict', 'conflict', 'ok', 'ok']);
      const versions = await server.sql(
        url,
        'select string_agg(version::text, $$,$$ order by version) from schema_migrations',
      );
      expect(versions).toMatch(/^1,2/);
      await Promise.all(stores.map((store) => store.close()));
    });

    it('do one change after another', async () => {
      const url = await server.createDatabase();
      const [one, two] = await Promise.all([open(url), open(url)]);
      const counts: number[] = [];
      const add = (store: typeof one, n: number) =>
        store.change(undefined, async ({ views }) => {
          const { views: before } = await views.list('a', { page: undefined, limit: 500, after: undefined });
          counts.push(before.length);
          await views.create('a', { ...VIEW, name: `${n}` });
        });
      await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 === 0 ? one : two, n)));
      expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
      await Promise.all([one.close(), two.close()]);
    });

    it('do one work after another, and go on with it where one was cut off', async () => {
      const url = await server.createDatabase();
      const [one, two] = await Promise.all([open(url), open(url)]);
      let under = 0;
      const most: number[] = [];
      await Promise.all(
        [one, two, one, two].map((store) =>
          store.alone('work', async () => {
            most.push(++under);
            await sleep(50);
            under--;
          }),
        ),
      );
      expect(most).toEqual([1, 1, 1, 1]);
      // A replica that is gone: its connection ends with it, whatever it was in the middle of.
      const cut = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const first = one.alone('work', () => {
        begun.resolve();
        return cut.promise;
      });
      await begun.promise;
      const second = two.alone('work', async () => 'done');
      await server.sql(
        url,
        'select pg_terminate_backend(pid) from pg_locks where locktype = $$advisory$$ and granted and classid = 1634496366',
      );
      expect(await second).toBe('done');
      cut.resolve();
      await first;
      await Promise.all([one.close(), two.close()]);
    });

    it('go on by themselves after the server was restarted or killed', async () => {
      const url = await server.createDatabase();
      const store = await open(url);
      let told = 0;
      store.changes.on(['saved_views'], () => told++);
      await store.views.create('a', VIEW);
      for (const how of ['fast', 'kill'] as const) {
        await server.down(how);
        expect(await codeOf(store.views.get('a', 'x'))).toBe('metadata_unavailable');
        expect(await codeOf(store.change(undefined, ({ views }) => views.get('a', 'x')))).toBe(
          'metadata_unavailable',
        );
        // What cannot be watched is not to be trusted: caches are told to look again, and fail with it.
        const before = told;
        await expect.poll(() => told, { timeout: 30_000 }).toBeGreaterThan(before + 1);
        await server.up();
        await expect.poll(() => codeOf(store.views.get('a', 'x')), { timeout: 30_000 }).toBe('not_found');
      }
      expect(
        (await store.views.list('a', { page: undefined, limit: 9, after: undefined })).views,
      ).toHaveLength(1);
      const other = await open(url);
      const before = told;
      await expect
        .poll(
          async () => {
            await other.views.create('a', { ...VIEW, name: crypto.randomUUID() });
            return told;
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThan(before);
      await Promise.all([store.close(), other.close()]);
    });

    it('tell caches of a change whose commit was made and whose answer was lost', async () => {
      const url = new URL(await server.createDatabase());
      let cut = false;
      // Between us and the server: takes the answer to a commit, and the connection with it.
      const between = createServer((client) => {
        const upstream = connect(Number(url.port), url.hostname);
        let lost = false;
        client.on('data', (part) => {
          lost ||= cut && part.includes('commit');
          upstream.write(part);
        });
        upstream.on('data', (part) => (lost ? client.destroy() : client.write(part)));
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          one.on('error', () => {});
          one.on('close', () => other.destroy());
        }
      }).listen(0, '127.0.0.1');
      await once(between, 'listening');
      const store = await open(
        Object.assign(new URL(url), { port: (between.address() as AddressInfo).port }).href,
      );
      try {
        let told = 0;
        store.changes.on(['saved_views'], () => told++);
        await expect.poll(() => told, { timeout: 30_000 }).toBe(1);
        cut = true;
        const change = store.change(undefined, ({ views }) => views.create('a', VIEW));
        expect(await codeOf(change)).toBe('metadata_unavailable');
        expect(await server.sql(url.href, 'select count(*) from saved_views')).toBe('1');
        expect(told).toBe(2);
      } finally {
        await store.close();
        between.close();
      }
    });

    it('notice changes whose notification never came, by the clock', async () => {
      const url = await server.createDatabase();
      const store = await open(url);
      let told = 0;
      store.changes.on(['saved_views'], () => told++);
      await expect
        .poll(
          () =>
            server.sql(
              url,
              "select count(*) from pg_stat_activity where query like '%change_clock%' and datname = current_database() and pid <> pg_backend_pid()",
            ),
          { timeout: 30_000 },
        )
        .not.toBe('0');
      const before = told;
      await server.sql(url, 'update change_clock set version = version + 1');
      await expect.poll(() => told, { timeout: 30_000 }).toBeGreaterThan(before);
      await store.close();
    });

    it('hear of each other where something was written', async () => {
      const url = await server.createDatabase();
      const [one, two] = await Promise.all([open(url), open(url)]);
      const told: unknown[] = [];
      two.changes.on(['contexts'], (places) => told.push(places));
      const context = { description: '', content: 'be kind', tags: [], meta: {}, status: 'ACTIVE' } as const;
      const here = { projectId: 'p', databaseConfigId: 'embedded' };
      await expect
        .poll(
          async () => {
            const name = crypto.randomUUID();
            await one.change(undefined, ({ contexts }) => contexts.create(here, { ...context, name }, 'jo'));
            return told;
          },
          { timeout: 30_000 },
        )
        .toContainEqual([here]);
      await Promise.all([one.close(), two.close()]);
    });

    it('wait for no change that hangs longer than its bound', async () => {
      const url = await server.createDatabase();
      const store = await open(url);
      const database = new Kysely<never>({ dialect: postgresDialect(url, silentLogger).kysely });
      await database.transaction().execute(async (transaction) => {
        await postgresDialect(url, silentLogger).takeTurn(transaction);
        expect(await codeOf(store.change(undefined, async () => 1))).toBe('metadata_unavailable');
      });
      expect(await codeOf(store.change(undefined, async () => 1))).toBe('ok');
      await Promise.all([store.close(), database.destroy()]);
    }, 60_000);
  });

  describe('a database on PostgreSQL', () => {
    it('compares names by code point, whatever its collation', async () => {
      const store = await open(await server.createDatabase());
      for (const name of ['b', '_', 'é', 'z', '😀', '\u{fffd}'])
        await store.views.create('a', { ...VIEW, name });
      const { views } = await store.views.list('a', { page: undefined, limit: 10, after: undefined });
      expect(views.map(({ name }) => name)).toEqual(['_', 'b', 'z', 'é', '\u{fffd}', '😀']);
      await store.close();
      const url = await server.createDatabase();
      await (await open(url)).close();
      const other = await server.sql(
        url,
        "select count(*) from information_schema.columns where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'",
      );
      expect(other).toBe('0');
    });

    it('refuses a NUL character as what the sender did wrong', async () => {
      const store = await open(await server.createDatabase());
      expect(await codeOf(store.views.create('a', { ...VIEW, name: 'a\0b' }))).toBe('bad_request');
      await store.close();
    });

    it('refuses numbers that no column holds as what the sender did wrong', async () => {
      const store = await open(await server.createDatabase());
      const place = { projectId: 'p', databaseConfigId: 'd' };
      const rule = {
        name: 'a',
        description: '',
        definition: {},
        status: 'ACTIVE',
        priority: 0,
        links: [],
      } as const;
      const { id } = await store.rules.create(place, rule, 'x');
      for (const revision of [3_000_000_000, Number.MAX_SAFE_INTEGER, 1.5]) {
        const change = { revision, rule, by: 'x' };
        expect(await codeOf(store.rules.replace(place, id, change)), `${revision}`).toBe('bad_request');
      }
      const page = { limit: 1, after: { at: 1e30, id: '' } };
      expect(await codeOf(store.audit.list('o', page))).toBe('bad_request');
      await store.close();
    });

    it('is whole after a migration that fails, and lets the next one in', async () => {
      const url = await server.createDatabase();
      const run = async (...tables: string[]) => {
        const dialect = postgresDialect(url, silentLogger);
        const database = new Kysely<never>({ dialect: dialect.kysely });
        const migration: Migration = {
          version: 1,
          name: 'm',
          statements: ({ schema }) =>
            tables.map((table) => schema.createTable(table).addColumn('id', 'text')),
        };
        try {
          await migrateMetadata(database, { dialect, migrations: [migration], logger: silentLogger });
          const { rows } = await sql<{
            held: number;
          }>`select count(*) as held from pg_locks where locktype = 'advisory'`.execute(database);
          return rows[0]?.held;
        } finally {
          await database.destroy();
        }
      };
      await expect(run('twice', 'twice')).rejects.toThrow(/exists/);
      expect(await run('twice')).toBe(0);
    });

    it('says in a sentence why it cannot be opened, without the password', async () => {
      const url = await server.createDatabase();
      const password = new URL(url).password;
      const said = async (address: string) => {
        const error: unknown = await open(address).then(
          (store) => store.close().then(() => 'opened'),
          (thrown: unknown) => thrown,
        );
        const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        expect(text).not.toContain(password);
        return text;
      };
      expect(await said(url.replace(password, 'wrong'))).toMatch(
        /MetadataStoreError: .*refused the user or password/,
      );
      expect(await said(url.replace(/[^/]+$/, 'absent'))).toMatch(/MetadataStoreError: .*no such database/);
      expect(await said(url.replace(`:${server.port}`, ':1'))).toMatch(
        /MetadataStoreError: .*cannot be reached.*PLATFORM_DATABASE_URL/,
      );
      expect(await said(url.replace('127.0.0.1', 'host.invalid'))).toMatch(
        /MetadataStoreError: .*cannot be reached/,
      );
      expect(await said(`${url}?sslmode=verify-full`)).toMatch(/MetadataStoreError: .*sslmode/);
      expect(await said(await server.createDatabase({ encoding: 'SQL_ASCII' }))).toMatch(
        /MetadataStoreError: .*SQL_ASCII/,
      );
      await server.sql(
        url,
        'create role poor login password $$poor$$; revoke create on schema public from public',
      );
      const poor = Object.assign(new URL(url), { username: 'poor', password: 'poor' });
      expect(await said(poor.href)).toMatch(/MetadataStoreError: .*may not create tables/);
    });
  });
}
