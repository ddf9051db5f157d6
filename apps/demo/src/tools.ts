import { NOBODY } from './calls.ts';
import type { Convention, ToolCall, ToolDefinition, Who } from './conventions/index.ts';
import type { Random } from './random.ts';
import { type Recorder, SimulatedFailure } from './telemetry.ts';
import type { Story } from './texts/index.ts';

/** A tool an agent may use: its declaration, and how a use of it goes. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly medianMs: number;
  arguments(story: Story, random: Random): object;
  result(story: Story, random: Random): string;
}

const schema = (properties: Record<string, string>, required = Object.keys(properties)) => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }])),
  required,
});

function tool(
  name: string,
  description: string,
  parameters: Record<string, string>,
  medianMs: number,
  args: Tool['arguments'],
  result: Tool['result'],
): Tool {
  return {
    definition: { name, description, parameters: schema(parameters) },
    medianMs,
    arguments: args,
    result,
  };
}

export const TOOLS = {
  lookupOrder: tool(
    'lookup_order',
    'Find an order by its number.',
    { order_id: 'string' },
    45,
    (story) => ({ order_id: `FW-${story.slot('number')}` }),
    (story, random) =>
      JSON.stringify({
        order_id: `FW-${story.slot('number')}`,
        status: random.pick(['shipped', 'in_transit', 'delivered', 'returned']),
        items: [
          { name: story.slot('item'), quantity: random.int(1, 3), price: Number(story.slot('amount')) },
        ],
        placed_at: `2026-11-${String(random.int(1, 19)).padStart(2, '0')}T09:14:00Z`,
      }),
  ),
  trackParcel: tool(
    'track_parcel',
    'Ask the carrier where a parcel is.',
    { tracking_number: 'string' },
    320,
    (_story, random) => ({ tracking_number: `00340${random.int(10_000_000, 99_999_999)}` }),
    (story, random) =>
      JSON.stringify({
        last_scan: { city: story.slot('city'), hours_ago: random.int(2, 60) },
        expected: story.slot('weekday'),
      }),
  ),
  issueRefund: tool(
    'issue_refund',
    'Refund an order, wholly or in part. Needs a scanned return.',
    { order_id: 'string', amount: 'number', reason: 'string' },
    180,
    (story) => ({
      order_id: `FW-${story.slot('number')}`,
      amount: Number(story.slot('amount')),
      reason: 'customer_request',
    }),
    (_story, random) => JSON.stringify({ refund_id: `re_${random.hex(12)}`, state: 'pending' }),
  ),
  searchPolicy: tool(
    'search_policy',
    'Search the handbook of the shop.',
    { query: 'string', limit: 'integer' },
    90,
    (story) => ({ query: story.text('returns {item}'), limit: 3 }),
    (story) => story.domain.documents.map((document) => `${document.title}: ${document.text}`).join('\n\n'),
  ),
  webSearch: tool(
    'web_search',
    'Search the web.',
    { query: 'string' },
    640,
    (story) => ({ query: story.text(story.domain.documents[0]?.title ?? '') }),
    (story, random) =>
      JSON.stringify(
        story.domain.documents.map((document, index) => ({
          title: document.title,
          url: `https://docs.example.org/${story.domain.id}/${random.hex(6)}`,
          snippet: document.text.slice(0, 140),
          rank: index + 1,
        })),
      ),
  ),
  fetchPage: tool(
    'fetch_page',
    'Fetch a page and return its readable text.',
    { url: 'string' },
    880,
    (story, random) => ({ url: `https://docs.example.org/${story.domain.id}/${random.hex(6)}` }),
    (story, random) => {
      const document = random.pick(story.domain.documents);
      return `# ${document.title}\n\n${document.text}`;
    },
  ),
  calculate: tool(
    'calculate',
    'Evaluate an arithmetic expression.',
    { expression: 'string' },
    3,
    (story) => ({ expression: `${story.slot('amount')} * ${story.slot('count')} / 12` }),
    (story) => String(Math.round((Number(story.slot('amount')) * Number(story.slot('count'))) / 0.12) / 100),
  ),
  readFile: tool(
    'read_file',
    'Read a file of the repository.',
    { path: 'string' },
    4,
    (_story, random) => ({
      path: random.pick(['src/pool.ts', 'src/retry.ts', 'src/routes/orders.ts', 'src/cache.ts']),
    }),
    () =>
      'export class Pool {\n  readonly #free: Connection[] = [];\n  readonly #waiting: ((c: Connection) => void)[] = [];\n\n  async take(): Promise<Connection> {\n    const free = this.#free.pop();\n    return free ?? new Promise((resolve) => this.#waiting.push(resolve));\n  }\n\n  give(connection: Connection): void {\n    const next = this.#waiting.shift();\n    if (next) next(connection);\n    else this.#free.push(connection);\n  }\n}\n',
  ),
  editFile: tool(
    'edit_file',
    'Replace a passage of a file.',
    { path: 'string', old_text: 'string', new_text: 'string' },
    6,
    () => ({
      path: 'src/pool.ts',
      old_text: 'return free ?? new Promise((resolve) => this.#waiting.push(resolve));',
      new_text: 'return free ?? this.#wait(this.#timeoutMs);',
    }),
    () => '1 replacement in src/pool.ts',
  ),
  runTests: tool(
    'run_tests',
    'Run the test suite.',
    { filter: 'string' },
    7400,
    () => ({ filter: 'pool' }),
    (_story, random) =>
      `Tests  ${random.int(18, 42)} passed (${random.int(43, 60)})\nDuration  ${random.int(3, 9)}.2s`,
  ),
} as const satisfies Record<string, Tool>;

export function planCall(tool: Tool, story: Story, random: Random): ToolCall {
  return {
    id: `call_${random.hex(20)}`,
    name: tool.definition.name,
    arguments: JSON.stringify(tool.arguments(story, random)),
  };
}

/** Type and message of what can go wrong, per tool. */
const FAILURES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  lookup_order: [['OrderNotFound', 'no order with this number in the last 24 months']],
  track_parcel: [
    ['ToolTimeoutError', 'The carrier did not answer within 5000 ms'],
    ['ValueError', 'tracking_number must have 20 digits'],
  ],
  issue_refund: [['PermissionError', 'refund above 500 EUR needs an approval']],
  web_search: [['QuotaExceeded', 'search quota of 1000 requests a day is used up']],
  fetch_page: [
    ['HTTPStatusError', "Client error '403 Forbidden' for url"],
    ['ConnectTimeout', 'timed out after 10.0 s'],
  ],
  calculate: [['ZeroDivisionError', 'division by zero']],
  edit_file: [['EditConflict', 'old_text was found 2 times, it has to be unique']],
  run_tests: [['CalledProcessError', "Command 'vitest run pool' returned non-zero exit status 1"]],
};
const ANY_FAILURE = ['ConnectionResetError', '[Errno 104] Connection reset by peer'] as const;

/**
 * Executes a tool under a span. A tool that fails leaves an exception on its span and in the log; the agent gets the
 * message as result and goes on.
 */
export function runTool(
  rec: Recorder,
  convention: Convention,
  used: { tool: Tool; call: ToolCall; story: Story; who?: Who },
): string {
  const run = { call: used.call, definition: used.tool.definition, who: used.who ?? NOBODY };
  try {
    return rec.span(convention.tool(run), (span) => {
      rec.advance(rec.random.latency(used.tool.medianMs * rec.conditions.slowdown));
      if (rec.random.chance(rec.conditions.errorRate * 1.5)) {
        const [type, message] = rec.random.pick(FAILURES[used.call.name] ?? [ANY_FAILURE]);
        const failure = new SimulatedFailure(type, message, {
          trace: `Traceback (most recent call last):\n  File "/app/agent/tools.py", line 88, in ${used.call.name}\n    return await self._run(arguments)\n  File "/app/agent/http.py", line 41, in request\n    raise ${type}("${message}")\n${type}: ${message}`,
        });
        rec.logFailure(failure, `Tool ${used.call.name} failed`, { 'gen_ai.tool.name': used.call.name });
        rec.measure('gen_ai.agent.tool.errors', 1, {
          'gen_ai.tool.name': used.call.name,
          'error.type': type,
        });
        throw failure;
      }
      const result = used.tool.result(used.story, rec.random);
      span.set(convention.tool({ ...run, result }).attributes);
      return result;
    });
  } catch (error) {
    if (!(error instanceof SimulatedFailure)) throw error;
    return `Error: ${error.message}`;
  }
}
