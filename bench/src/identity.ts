import { SCOPES, silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { newApiKey, randomBase62, sha256 } from '../../apps/server/src/features/identity/keys/format.ts';
import { type AuthenticateInput, createIdentity } from '../../apps/server/src/features/identity/service.ts';
import type { Bench } from './lib/bench.ts';
import { Latencies } from './lib/latency.ts';
import { type Figure, type Findings, thousands } from './lib/table.ts';
import { withTempDir } from './lib/temp.ts';

const CREDENTIALS = 2_000;
const CACHED_ROUNDS = 50;
const ENVIRONMENTS = 20;

/** What it costs to make a context of credential and headers, known before and looked up. */
export const identity: Bench = {
  run: (): Promise<Findings> =>
    withTempDir(async (dataDir) => {
      const metadata = await openMetadataStore({ dataDir, logger: silentLogger });
      const names = Array.from({ length: ENVIRONMENTS }, (_, index) => `env-${index}`);
      const { keys, tokens } = await metadata.change(undefined, async (repositories) => {
        await repositories.projects.addEnvironments('default', names, 'settings');
        const user = await repositories.people.create({ email: 'a@b.c', name: 'A', passwordHash: null });
        await repositories.people.join('default', user.id, 'member');
        await repositories.projects.addMember('default', user.id);
        const made: { keys: string[]; tokens: string[] } = { keys: [], tokens: [] };
        for (let n = 0; n < CREDENTIALS; n += 1) {
          const { apiKey, prefix } = newApiKey();
          made.keys.push(apiKey);
          await repositories.keys.create(sha256(apiKey), {
            projectId: 'default',
            name: 'bench',
            prefix,
            scopes: SCOPES,
            environments: null,
            createdBy: user.id,
            expiresAt: null,
          });
          const token = randomBase62(43);
          made.tokens.push(token);
          const session = { userId: user.id, address: '', userAgent: '', expiresAt: Date.now() + 1e9 };
          await repositories.sessions.create(sha256(token), session);
        }
        return made;
      });
      const { authenticate, settle } = createIdentity({
        config: {
          bootstrapApiKey: undefined,
          ingestAnonymous: false,
          host: '127.0.0.1',
          wrongKeysPerMinute: 60,
          publicUrl: undefined,
          sessionIdleMs: 1e9,
          sessionLifetimeMs: 1e9,
        },
        metadata,
        logger: silentLogger,
      });
      const inputOf = (own: Readonly<Record<string, string>>): AuthenticateInput => {
        const headers = new Map(
          Object.entries({
            host: 'localhost:3000',
            origin: 'http://localhost:3000',
            'x-platform-project-id': 'default',
            'x-platform-environment': 'env-7',
            ...own,
          }),
        );
        return {
          headers: (name) => headers.get(name),
          remoteAddress: '127.0.0.1',
          endpoint: 'api',
          method: 'POST',
          requestId: 'bench',
        };
      };
      // The directory of projects and environments is read once a process.
      await authenticate(inputOf({ cookie: `candela_session=${tokens.pop() ?? ''}` }));

      const figures: Figure[] = [];
      const measure = async (what: string, inputs: readonly AuthenticateInput[]) => {
        const [first, again] = [new Latencies(), new Latencies()];
        for (const input of inputs) {
          const startedAt = performance.now();
          await authenticate(input);
          first.add((performance.now() - startedAt) * 1_000);
        }
        for (let round = 0; round < CACHED_ROUNDS; round += 1) {
          for (const input of inputs) {
            const startedAt = performance.now();
            await authenticate(input);
            again.add((performance.now() - startedAt) * 1_000);
          }
        }
        const row = (latencies: Latencies) =>
          `${thousands(latencies.quantile(0.5), 1)} / ${thousands(latencies.quantile(0.99), 1)} µs`;
        figures.push(
          { what: `${what}, known before, p50 / p99`, value: row(again), against: 'goal: under 50 µs' },
          { what: `${what}, looked up, p50 / p99`, value: row(first), against: 'goal: under 1,000 µs' },
        );
      };
      await measure(
        'API key',
        keys.map((key) => inputOf({ authorization: `Bearer ${key}` })),
      );
      await measure(
        'session cookie',
        tokens.map((token) => inputOf({ cookie: `candela_session=${token}` })),
      );
      await settle();
      await metadata.close();
      return {
        bench: 'identity',
        command: 'npm run bench -- identity',
        figures,
        notes: [
          `Credential, organisation, project and environment headers of one request, ${thousands(CREDENTIALS)} keys and as many sessions on SQLite.`,
        ],
      };
    }),
};
