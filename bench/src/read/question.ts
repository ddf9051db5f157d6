import type { Api } from '../lib/api.ts';

/** One thing a person asks of the store, as the API takes it, with its goal. */
export interface Question {
  readonly name: string;
  readonly goalMs: number;
  readonly repeats: number;
  /**
   * What the store did before it is measured. Nothing, as if it had no columns of its own accord, when left out.
   * `looked`: it was read a little, and looked at what is common; what is asked here nobody asked for.
   * `asked`: besides, it was asked this once and had a while for it; both are measured, the first time by itself.
   */
  readonly after?: 'looked' | 'asked';
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

export const LIST_GOAL_MS = 150;
export const CHART_GOAL_MS = 300;

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
