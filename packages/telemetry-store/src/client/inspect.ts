import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { loadMigrations } from '../migrations/load.ts';
import { RefusedAddressError } from './address-guard.ts';
import { UnboundedAnswerError } from './bounded-answers.ts';
import { type Connection, connect } from './connect.ts';
import type { Inspection } from './types.ts';

type Step = Inspection['steps'][number];

/** Time the whole look may take. */
const LIMIT_MS = 15_000;
/** Of each answer: lists of a few names. */
const ANSWER_BYTES = 1 << 20;
/** What is asked of an engine and not all of them have, the newest things among what is used. */
const FUNCTIONS = [
  'quantilesBFloat16',
  'lagInFrame',
  'mapFilter',
  'mapSort',
  'arrayFirstIndex',
  'toValidUTF8',
];
/** Sent with inserts: an engine refuses what it does not know. */
const SETTINGS = [
  'insert_deduplication_token',
  'exclude_materialize_skip_indexes_on_insert',
  'distributed_foreground_insert',
  'query_plan_remove_redundant_sorting',
];
const TABLE_SETTINGS = ['non_replicated_deduplication_window', 'ttl_only_drop_parts', 'fsync_after_insert'];
const PRIVILEGES = ['SELECT', 'INSERT', 'CREATE DATABASE', 'CREATE TABLE', 'ALTER', 'TRUNCATE'];
/** Unknown user, wrong password, and access denied. */
const SIGN_IN_CODES = new Set(['192', '193', '194', '497', '516']);
const UNKNOWN_DATABASE = '81';
const UNKNOWN_TABLE = '60';

/** Looks at a database step by step and says what is wrong in words of ours: what a stranger answered is not repeated. */
export async function inspect(
  connection: Connection,
  kind: 'embedded' | 'server',
  limitMs = LIMIT_MS,
): Promise<Inspection> {
  let client: ClickHouseClient;
  try {
    client = connect(connection, 'default', { bytes: ANSWER_BYTES, ms: limitMs });
  } catch (thrown) {
    const { at, detail } = trouble(thrown, 'reach');
    return { version: undefined, steps: [{ what: at, ok: false, detail }], schema: undefined };
  }
  const steps: Step[] = [];
  const signal = AbortSignal.timeout(limitMs);
  // Whatever is under way then: a name that is looked up, a body that drips.
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  late.catch(() => undefined);
  const look = { client, database: connection.database, signal };
  let version: string | undefined;
  let schema: Inspection['schema'];
  const step = async (what: Step['what'], work: () => Promise<string>): Promise<boolean> => {
    try {
      steps.push({ what, ok: true, detail: await Promise.race([work(), late]) });
      return true;
    } catch (thrown) {
      const { at, detail } = trouble(thrown, what);
      steps.push({ what: at, ok: false, detail });
      return false;
    }
  };
  try {
    const answered = await step('sign_in', async () => {
      version = (await column(look, 'SELECT version() AS V'))[0] ?? '';
      return 'The server answers and takes the credentials.';
    });
    if (!answered) return { version, steps, schema };
    steps.unshift({ what: 'reach', ok: true, detail: 'The address answers.' });
    steps.push({ what: 'version', ok: true, detail: `ClickHouse ${version ?? ''}.` });
    const able =
      (await step('functions', () => abilities(look))) &&
      (kind === 'embedded' || (await step('privileges', () => privileges(look))));
    if (able) {
      await step('schema', async () => {
        schema = { applied: await appliedMigrations(look), needed: loadMigrations().length };
        if (schema.applied === schema.needed) return 'The schema is up to date.';
        if (schema.applied > schema.needed) {
          throw new Told('The database was made by a newer version of this program: start that one.');
        }
        return `${schema.needed - schema.applied} of ${schema.needed} migrations are missing: run them.`;
      });
    }
    return { version, steps, schema };
  } finally {
    await client.close();
  }
}

interface Look {
  readonly client: ClickHouseClient;
  readonly database: string;
  readonly signal: AbortSignal;
}

/** A failure that is already told in words for a person. */
class Told extends Error {}

async function column({ client, signal }: Look, query: string, params: object = {}): Promise<string[]> {
  const result = await client.query({
    query,
    query_params: { ...params },
    format: 'JSONEachRow',
    abort_signal: signal,
    clickhouse_settings: { max_result_rows: '1000', max_execution_time: LIMIT_MS / 1_000 },
  });
  const rows = await result.json<{ V: string | number }>();
  return rows.map((row) => String(row.V));
}

async function abilities(look: Look): Promise<string> {
  const lists = [
    ['functions', FUNCTIONS],
    ['settings', SETTINGS],
    ['merge_tree_settings', TABLE_SETTINGS],
  ] as const;
  const missing: string[] = [];
  for (const [table, names] of lists) {
    const there = await column(
      look,
      `SELECT name AS V FROM system.${table} WHERE name IN {n:Array(String)}`,
      {
        n: names,
      },
    );
    missing.push(...names.filter((name) => !there.includes(name)));
  }
  if (missing.length > 0) {
    throw new Told(`The server does not know ${missing.join(', ')}: it is too old. Bring it up to date.`);
  }
  return 'All functions and settings that are used are there.';
}

async function privileges(look: Look): Promise<string> {
  const missing: string[] = [];
  for (const privilege of PRIVILEGES) {
    const { stream } = await look.client.exec({
      query: `CHECK GRANT ${privilege} ON \`${look.database}\`.*`,
      abort_signal: look.signal,
    });
    let text = '';
    for await (const chunk of stream) text = `${text}${String(chunk)}`.slice(0, 16);
    if (text.trim() !== '1') missing.push(privilege);
  }
  if (missing.length > 0) {
    throw new Told(`The user lacks ${missing.join(', ')} on the database ${look.database}: grant them.`);
  }
  return 'The user may do all that is needed.';
}

async function appliedMigrations(look: Look): Promise<number> {
  try {
    const [count] = await column(
      look,
      `SELECT uniqExact(Version) AS V FROM \`${look.database}\`.schema_migrations WHERE Version >= {baseline:UInt32}`,
      { baseline: loadMigrations()[0]?.version ?? 1 },
    );
    return Number(count ?? 0);
  } catch (thrown) {
    const code = thrown instanceof ClickHouseError ? thrown.code : undefined;
    if (code === UNKNOWN_DATABASE || code === UNKNOWN_TABLE) return 0;
    throw thrown;
  }
}

/** The step that really failed, and a sentence about it. */
function trouble(thrown: unknown, what: Step['what']): { at: Step['what']; detail: string } {
  if (thrown instanceof Told) return { at: what, detail: thrown.message };
  if (thrown instanceof ClickHouseError) {
    if (SIGN_IN_CODES.has(thrown.code)) {
      return {
        at: what === 'sign_in' ? what : 'privileges',
        detail: 'The server refuses this user: check name, password and grants.',
      };
    }
    return {
      at: what,
      detail: `The server refused with ${thrown.type ?? 'an error'} (code ${thrown.code}).`,
    };
  }
  return { at: what === 'sign_in' ? 'reach' : what, detail: unreachable(thrown) };
}

/** Why nothing like a ClickHouse answered, in words; never with what was answered. */
function unreachable(thrown: unknown): string {
  if (refused(thrown)) return 'The address is one that connectors may not lead to.';
  const code = codeOf(thrown);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name is not known.';
  if (code === 'ECONNREFUSED') return 'Nothing listens there: check host and port.';
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return 'The host cannot be reached.';
  if (code !== undefined && /CERT|SSL|TLS|ALTNAME|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `The TLS connection failed (${code}): check the certificates, or give the authority that signed them.`;
  }
  if (thrown instanceof UnboundedAnswerError && thrown.bound === 'time') return 'It did not answer in time.';
  if (thrown instanceof Error && (thrown.name === 'TimeoutError' || thrown.name === 'AbortError')) {
    return 'It did not answer in time.';
  }
  return code === undefined ? 'What answers there is no ClickHouse.' : `The connection failed (${code}).`;
}

function refused(thrown: unknown): boolean {
  if (thrown instanceof RefusedAddressError) return true;
  if (thrown instanceof AggregateError && thrown.errors.some(refused)) return true;
  return thrown instanceof Error && thrown.cause !== undefined && refused(thrown.cause);
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return codeOf(thrown.cause);
}
