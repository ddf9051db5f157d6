import type { Api } from '../lib/api.ts';

/** One thing a person asks of the store, as the API takes it, with its goal. */
export interface Question {
  readonly name: string;
  readonly goalMs: number;
  readonly repeats: number;
  ask(api: Api, turn: number): Promise<string>;
  /** Throws when the answer is not what was asked for: a fast wrong answer is no figure. */
  check(answer: string): void;
}

interface Answer {
  readonly data: unknown;
}

const rowsOf = (answer: string): readonly unknown[] => {
  const { data } = JSON.parse(answer) as Answer;
  if (!Array.isArray(data)) throw new Error(`no list in the answer: ${answer.slice(0, 200)}`);
  return data;
};

const atLeast = (count: number) => (answer: string) => {
  const rows = rowsOf(answer);
  if (rows.length < count) throw new Error(`${rows.length} rows instead of at least ${count}`);
};

/** The questions with goals, over the last `hours`, with known trace ids and words that occur in the messages. */
export function questions(options: { traceIds: readonly string[]; hours: number }): Question[] {
  const window = { from: `-${options.hours}h`, to: 'now' };
  const words = ['violin', 'walnut', 'umbrella', 'turbine', 'saucer', 'meadow', 'lumber', 'juniors'];
  const rare = ['Wanjiru violin', 'Ljubljana turbine', 'Thandi umbrella', 'Zoltán walnut'];
  return [
    {
      name: 'trace by id',
      goalMs: 30,
      repeats: 200,
      ask: (api, turn) =>
        api.get(`/api/telemetry/traces/${options.traceIds[turn % options.traceIds.length] ?? ''}`),
      check(answer) {
        const { data } = JSON.parse(answer) as { data: { spans: unknown[] } };
        if (data.spans.length !== 10) throw new Error(`${data.spans.length} spans instead of 10`);
      },
    },
    {
      name: 'first page of traces, newest first',
      goalMs: 150,
      repeats: 40,
      ask: (api) => api.post('/api/telemetry/traces/search', { ...window, limit: 50 }),
      check: atLeast(50),
    },
    {
      name: 'first page of traces of one service with errors',
      goalMs: 150,
      repeats: 40,
      ask: (api, turn) =>
        api.post('/api/telemetry/traces/search', {
          ...window,
          limit: 50,
          q: `service:service-${turn % 12} status:error`,
        }),
      check: atLeast(50),
    },
    {
      name: 'histogram: spans and errors over time',
      goalMs: 150,
      repeats: 40,
      ask: (api) =>
        api.post('/api/telemetry/aggregate', {
          ...window,
          measures: ['count', 'errors'],
          bucketSeconds: 'auto',
        }),
      check(answer) {
        const { data } = JSON.parse(answer) as { data: { rows: unknown[] } };
        if (data.rows.length < 10) throw new Error(`${data.rows.length} buckets`);
      },
    },
    {
      name: 'spans whose messages hold a word',
      goalMs: 300,
      repeats: 24,
      ask: (api, turn) =>
        api.post('/api/telemetry/spans/search', {
          ...window,
          limit: 50,
          q: `"${words[turn % words.length]}"`,
        }),
      check: atLeast(50),
    },
    {
      name: 'spans whose messages hold two words',
      goalMs: 300,
      repeats: 24,
      ask: (api, turn) =>
        api.post('/api/telemetry/spans/search', {
          ...window,
          limit: 50,
          q: (rare[turn % rare.length] ?? '')
            .split(' ')
            .map((word) => `"${word}"`)
            .join(' '),
        }),
      check: atLeast(1),
    },
  ];
}
