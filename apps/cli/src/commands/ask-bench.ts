import { parseArgs } from 'node:util';
import { CandelaError } from '@candela/kernel';
import { type Command, UsageError } from '../command.ts';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

interface Rows {
  readonly rows: readonly (readonly unknown[])[];
}
interface Schema {
  readonly tables: readonly {
    readonly name: string;
    readonly about: string;
    readonly columns: readonly { readonly name: string; readonly type: string; readonly about: string }[];
  }[];
}

/** Measures how well a model turns questions into statements. */
export const askBench: Command = {
  words: ['ask-bench'],
  summary: 'Measures how well a model turns questions into SQL, on your own data',
  help: `candela ask-bench --base-url URL --model NAME --platform URL [--key K] [--model-key K] [--limit N] [--from T]

Asks the model each golden question, runs its statement and the right one on the platform, and compares the rows as
multisets: numbers to 1e-9, names of columns ignored. Prints a line a question and the share that is right.

  --base-url URL   OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1
  --model NAME     as the server spells it
  --platform URL   Candela with data to ask about
  --key K          API key with the scope chat; default CANDELA_API_KEY
  --model-key K    key of the model server; default OPENAI_API_KEY
  --limit N        only the first N questions
  --from T         begin of the time range; default -7d`,

  async run(args, { env, say }) {
    const options = read(args);
    const { GOLDEN } = await import('@candela/telemetry-store/golden');
    const baseUrl = required(options['base-url'], '--base-url');
    const model = required(options.model, '--model');
    const platform = required(options.platform, '--platform');
    const limit = Number(options.limit ?? GOLDEN.length);
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit takes a number from 1 on.');
    const from = options.from ?? '-7d';
    const key = options.key ?? env['CANDELA_API_KEY'];
    const modelKey = options['model-key'] ?? env['OPENAI_API_KEY'];
    const schema = await call<{ data: Schema }>(`${platform}/api/chat/sql/schema`, key);
    const instructions = instructionsOf(schema.data);
    const run = (query: string) =>
      call<{ data: Rows }>(`${platform}/api/chat/message/execute`, key, { query, from, limit: 1_000 });
    let right = 0;
    const asked = GOLDEN.slice(0, limit);
    for (const { question, sql } of asked) {
      const { data: wanted } = await run(sql);
      let outcome: string;
      try {
        const written = await statementOf(`${baseUrl}/chat/completions`, modelKey, {
          model,
          instructions,
          question,
        });
        const { data: given } = await run(written);
        const isRight = sameRows(wanted.rows, given.rows);
        if (isRight) right += 1;
        outcome = isRight ? 'right' : 'wrong';
      } catch (thrown) {
        outcome = `failed: ${thrown instanceof Error ? thrown.message : 'unknown'}`;
      }
      say(`${outcome.padEnd(6)}  ${question}`);
    }
    say(`${right} of ${asked.length} right (${((100 * right) / asked.length).toFixed(1)} %)`);
  },
};

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'base-url': { type: 'string' },
        model: { type: 'string' },
        platform: { type: 'string' },
        key: { type: 'string' },
        'model-key': { type: 'string' },
        limit: { type: 'string' },
        from: { type: 'string' },
      },
    }).values;
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : 'The options cannot be read.');
  }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing.`);
  return value.replace(/\/$/, '');
}

const instructionsOf = ({ tables }: Schema): string =>
  [
    'Answer with one ClickHouse SELECT and nothing else: no prose, no fence. Project and time range are applied for you.',
    'Filter CountsUsage = 1 before summing tokens or CostUsd. Duration is in nanoseconds.',
    ...tables.map(
      ({ name, about, columns }) =>
        `${name}: ${about} ${columns.map((column) => `${column.name} ${column.type} (${column.about})`).join('; ')}`,
    ),
  ].join('\n');

/** @throws with a sentence */
async function call<T>(url: string, key: string | undefined, body?: object): Promise<T> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (text.length > MAX_ANSWER_BYTES) throw new CandelaError('refused', 'The answer is too long.');
  if (!response.ok) throw new CandelaError('refused', `${response.status}: ${sentenceOf(text)}`);
  return JSON.parse(text) as T;
}

function sentenceOf(text: string): string {
  try {
    const { err, error } = JSON.parse(text) as { err?: string; error?: { message?: string } };
    return (err ?? error?.message ?? '').slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

async function statementOf(
  url: string,
  key: string | undefined,
  ask: { readonly model: string; readonly instructions: string; readonly question: string },
): Promise<string> {
  const answer = await call<{ choices?: readonly { message?: { content?: string } }[] }>(url, key, {
    model: ask.model,
    temperature: 0,
    messages: [
      { role: 'system', content: ask.instructions },
      { role: 'user', content: ask.question },
    ],
  });
  const text = answer.choices?.[0]?.message?.content ?? '';
  return (/```(?:sql)?\s*\n([\s\S]*?)```/i.exec(text)?.[1] ?? text).trim();
}

/** A cell as it is compared: numbers, also those written as texts, to 1e-9 of their size. */
function cellText(cell: unknown): string {
  const number =
    typeof cell === 'number' ? cell : typeof cell === 'string' && cell !== '' ? Number(cell) : Number.NaN;
  if (Number.isFinite(number)) return number.toPrecision(9);
  return typeof cell === 'string' ? cell : JSON.stringify(cell ?? null);
}

/** Whether two results hold the same rows, in any order. */
export function sameRows(a: Rows['rows'], b: Rows['rows']): boolean {
  if (a.length !== b.length) return false;
  const textsOf = (rows: Rows['rows']) => rows.map((row) => JSON.stringify(row.map(cellText))).toSorted();
  const [left, right] = [textsOf(a), textsOf(b)];
  return left.every((text, index) => text === right[index]);
}
