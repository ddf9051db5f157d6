import { atLeast, LIST_GOAL_MS, type Question } from './question.ts';

const WORDS = ['violin', 'walnut', 'umbrella', 'turbine', 'saucer', 'meadow', 'lumber', 'juniors'];
/** Two words that stand together seldom: a page of them comes from five minutes to two hours. */
const TOGETHER = ['Wanjiru violin', 'Ljubljana turbine', 'Thandi umbrella', 'Zoltán walnut'];

const quoted = (words: string): string =>
  words
    .split(' ')
    .map((word) => `"${word}"`)
    .join(' ');

/** First pages of a list by words: one that many rows have, two that few have both, and one that nobody wrote. */
export function wordQuestions(list: 'spans' | 'traces' | 'logs', what: string, page: object): Question[] {
  const asked = (name: string, rows: number, words: (turn: number) => string): Question => ({
    name: `${what} ${name}`,
    goalMs: LIST_GOAL_MS,
    repeats: 24,
    ask: (api, turn) => api.post(`/api/telemetry/${list}/search`, { ...page, q: quoted(words(turn)) }),
    check: atLeast(rows),
  });
  return [
    asked('a word', 50, (turn) => WORDS[turn % WORDS.length] ?? ''),
    asked('two words', 1, (turn) => TOGETHER[turn % TOGETHER.length] ?? ''),
    asked('a word that nobody wrote', 0, (turn) => `zyzzyva${turn}qx`),
  ];
}
