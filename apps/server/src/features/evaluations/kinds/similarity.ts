import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { defineKind, type Outcome, type Subject, yes } from './kind.ts';

const settings = z.strictObject({ text: z.string().max(100_000).optional() });
/** Characters that are compared: the work grows with their square. */
const MOST = 5_000;

const against =
  (text: string | undefined, compare: (output: string, expected: string) => Outcome) =>
  ({ output, expected }: Subject): Outcome => {
    const wanted = text ?? expected;
    return wanted === undefined ? { skip: 'There is no expected output.' } : compare(output, wanted);
  };

export const levenshtein = defineKind({
  id: 'levenshtein',
  label: 'Edit similarity',
  description: '1 less the edits to the expected text, by the longer of both; the first 5,000 characters.',
  settings,
  prepare: ({ text }) =>
    against(text, (output, expected) => {
      const [a, b] = [output.slice(0, MOST), expected.slice(0, MOST)];
      const longest = Math.max(a.length, b.length);
      const edits = distance(a, b);
      return {
        value: longest === 0 ? 1 : 1 - edits / longest,
        explanation: `${edits} edits in ${longest} characters.`,
      };
    }),
});

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export const tokenF1 = defineKind({
  id: 'token_f1',
  label: 'Token F1',
  description: 'Harmonic mean of precision and recall of the words of the answer against the expected ones.',
  settings,
  prepare: ({ text }) =>
    against(text, (output, expected) => {
      const [got, wanted] = [wordsOf(output), wordsOf(expected)];
      const left = new Map<string, number>();
      for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
      let common = 0;
      for (const word of got) {
        const count = left.get(word) ?? 0;
        if (count > 0) common += 1;
        left.set(word, count - 1);
      }
      const value = got.length + wanted.length === 0 ? 1 : (2 * common) / (got.length + wanted.length);
      return {
        value,
        explanation: `${common} words in common; ${got.length} given, ${wanted.length} expected.`,
      };
    }),
});

const numberIn = (text: string): number | undefined => {
  const [found] =
    text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, '').match(/-?\d{1,300}(?:\.\d{1,50})?(?:e[+-]?\d{1,3})?/i) ?? [];
  return found === undefined ? undefined : Number(found);
};

export const numeric = defineKind({
  id: 'numeric',
  label: 'Number within',
  description: 'The first number of the answer is within a tolerance of the expected one.',
  settings: z.strictObject({ number: z.number().optional(), tolerance: z.number().min(0).default(0) }),
  prepare:
    ({ number, tolerance }) =>
    ({ output, expected }) => {
      const wanted = number ?? (expected === undefined ? undefined : numberIn(expected));
      if (wanted === undefined) return { skip: 'There is no expected number.' };
      const got = numberIn(output);
      if (got === undefined) return yes(false, 'The answer holds no number.');
      return yes(Math.abs(got - wanted) <= tolerance, `Got ${got}, expected ${wanted} ± ${tolerance}.`);
    },
});
