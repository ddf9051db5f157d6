import type { Api } from '../lib/api.ts';

/** One thing a person asks of the store, as the API takes it, with its goal. */
export interface Question {
  readonly name: string;
  readonly goalMs: number;
  readonly repeats: number;
  /**
   * Asked of a store that gives columns to attributes; without it of one that gives none.
   * `asked`: it is asked once and, when its attribute has a column, again; both are measured, the first time by itself.
   * `kept`: only then; another question has asked for the attribute.
   */
  readonly column?: 'asked' | 'kept';
  ask(api: Api, turn: number): Promise<string>;
  /** The same as the UI asks it first, for an estimate. */
  askEarly?(api: Api): Promise<string>;
  /** Throws when the answer is not what was asked for: a fast wrong answer is no figure. */
  check(answer: string): void;
}

/** What the questions are asked about. */
export interface Loaded {
  readonly traceIds: readonly string[];
  readonly hours: number;
  /** Where the times of the points end, epoch milliseconds. */
  readonly pointsUntilMs: number;
}

/** How often a question is asked whose answer takes no seconds: of so many the 95th percentile is not made by one or two hiccups of the machine. */
export const REPEATS = 48;

export const LIST_GOAL_MS = 250;
export const CHART_GOAL_MS = 400;
export const TRACE_GOAL_MS = 50;
/** A list of what one attribute or one rare word finds. */
export const FOUND_GOAL_MS = { spans: 60, logs: 60, traces: 150 } as const;

const rowsOf = (answer: string): readonly unknown[] => {
  const { data } = JSON.parse(answer) as { readonly data: unknown };
  if (!Array.isArray(data)) throw new Error(`no list in the answer: ${answer.slice(0, 200)}`);
  return data;
};

/** The answer is a list of at least so many rows. */
export const atLeast = (count: number) => (answer: string) => {
  const rows = rowsOf(answer);
  if (rows.length < count) throw new Error(`${rows.length} rows instead of at least ${count}`);
};

/** The answer holds a list under that name, of at least so many rows. */
export const holds = (name: string, count: number) => (answer: string) => {
  const { data } = JSON.parse(answer) as { readonly data: Readonly<Record<string, unknown>> };
  const rows = data[name];
  if (!Array.isArray(rows) || rows.length < count) {
    throw new Error(`fewer than ${count} ${name}: ${answer.slice(0, 200)}`);
  }
};

export const windowOf = ({ hours }: Loaded): { from: string; to: string } => ({
  from: `-${hours}h`,
  to: 'now',
});

/** A question that posts the same body every time. */
export function post(
  name: string,
  goalMs: number,
  path: string,
  body: object,
  check: (answer: string) => void,
): Question {
  return { name, goalMs, repeats: REPEATS, ask: (api) => api.post(`/api/telemetry/${path}`, body), check };
}

/** A question that gets the same address every time. */
export function get(name: string, goalMs: number, path: string, check: (answer: string) => void): Question {
  return { name, goalMs, repeats: REPEATS, ask: (api) => api.get(`/api/telemetry/${path}`), check };
}
