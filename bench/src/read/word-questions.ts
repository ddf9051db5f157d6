import type { Api } from '../lib/api.ts';
import {
  atLeast,
  CHART_GOAL_MS,
  FOUND_GOAL_MS,
  holds,
  LIST_GOAL_MS,
  type Question,
  REPEATS,
} from './question.ts';

const WORDS = ['violin', 'walnut', 'umbrella', 'turbine', 'saucer', 'meadow', 'lumber', 'juniors'];
/** Two words that stand together seldom: a page of them comes from five minutes to two hours. */
const TOGETHER = ['Wanjiru violin', 'Ljubljana turbine', 'Thandi umbrella', 'Zoltán walnut'];

const together = (turn: number): string => TOGETHER[turn % TOGETHER.length] ?? '';

const quoted = (words: string): string =>
  words
    .split(' ')
    .map((word) => `"${word}"`)
    .join(' ');

/**
 * First pages of a list by words, as the UI asks for them: one that many rows
 * have, two that few have both, and one that nobody wrote; and a whole page of two in one answer.
 */
export function wordQuestions(list: 'spans' | 'traces' | 'logs', what: string, page: object): Question[] {
  const asked = (
    name: string,
    rows: number,
    words: (turn: number) => string,
    how: object = { early: true },
  ): Question => ({
    name: `${what} ${name}`,
    goalMs: FOUND_GOAL_MS[list],
    repeats: REPEATS,
    ask: (api, turn) =>
      api.post(`/api/telemetry/${list}/search`, { ...page, ...how, q: quoted(words(turn)) }),
    check: atLeast(rows),
  });
  return [
    asked('a word', 1, (turn) => WORDS[turn % WORDS.length] ?? ''),
    asked('two words', 1, together),
    asked('two words, the page in one answer', 50, together, {}),
    asked('a word that nobody wrote', 0, (turn) => `zyzzyva${turn}qx`),
  ];
}

/** Lists by two words that are not in the order of time of what holds them. */
export function wordOrders(window: { readonly from: string; readonly to: string }): Question[] {
  const page = { ...window, limit: 50 };
  const both = (
    name: string,
    ask: (api: Api, body: Readonly<Record<string, string | number | boolean>>) => Promise<string>,
    how: object,
  ): Question => ({
    name: `${name}, by two words`,
    goalMs: LIST_GOAL_MS,
    repeats: REPEATS,
    ask: (api, turn) => ask(api, { ...page, ...how, early: true, q: quoted(together(turn)) }),
    check: atLeast(1),
  });
  const search = (list: 'spans' | 'traces', how: object) =>
    both(`${list} by -duration`, (api, body) => api.post(`/api/telemetry/${list}/search`, body), {
      sort: '-duration',
      ...how,
    });
  const activity = (list: 'sessions' | 'users', name: string, how: object) =>
    both(
      `${list}${name}`,
      (api, body) => {
        const address = Object.entries(body).map(([key, value]) => [key, `${value}`]);
        return api.get(`/api/telemetry/${list}?${new URLSearchParams(address)}`);
      },
      how,
    );
  return [
    search('spans', {}),
    // First words are asked for when the rows are there.
    search('traces', { previews: false }),
    activity('sessions', ', latest first', {}),
    activity('sessions', ' by -cost', { sort: '-cost' }),
    activity('users', ', latest first', {}),
  ];
}

/** What stands beside such a list: the chart over time and the facets of what two words match. */
export function wordCharts(signal: 'spans' | 'logs', window: object, facets: readonly string[]): Question[] {
  const asked = (name: string, path: string, body: object, check: Question['check']): Question => ({
    name,
    goalMs: CHART_GOAL_MS,
    repeats: REPEATS,
    ask: (api, turn) =>
      api.post(`/api/telemetry/${path}`, { ...window, signal, ...body, q: quoted(together(turn)) }),
    check,
  });
  const chart = `chart: ${signal} that hold two words, over time`;
  const panel = `facets: the panel of ${signal} that hold two words`;
  const over = { measures: ['count', 'errors'], bucketSeconds: 'auto' };
  return [
    asked(chart, 'aggregate', over, holds('rows', 1)),
    asked(panel, 'facets', { fields: facets }, atLeast(1)),
  ];
}
