import { z } from 'zod';
import { defineKind, type EvaluatorKind, type Subject, yes } from './kind.ts';

/** A figure of the subject is within bounds. */
const bounded = (
  id: string,
  label: string,
  unit: string,
  figure: (subject: Subject) => number | undefined,
): EvaluatorKind =>
  defineKind({
    id,
    label,
    description: `The ${unit} of the call are within the bounds; a missing bound is none.`,
    settings: z.strictObject({ min: z.number().optional(), max: z.number().optional() }),
    prepare:
      ({ min = -Infinity, max = Infinity }) =>
      (subject) => {
        const value = figure(subject);
        if (value === undefined) return { skip: `The ${unit} are not known.` };
        return yes(value >= min && value <= max, `${value} ${unit}.`);
      },
  });

export const length = bounded('length', 'Length', 'characters', ({ output }) => output.length);
export const latency = bounded('latency', 'Latency', 'milliseconds', ({ durationMs }) => durationMs);
export const cost = bounded('cost', 'Cost', 'US dollars', ({ costUsd }) => costUsd);
export const tokens = bounded('tokens', 'Tokens', 'tokens', ({ inputTokens, outputTokens }) =>
  inputTokens === undefined && outputTokens === undefined
    ? undefined
    : (inputTokens ?? 0) + (outputTokens ?? 0),
);

/** The call did not fail. */
export const noError = defineKind({
  id: 'no_error',
  label: 'No error',
  description: 'The call did not fail.',
  settings: z.strictObject({}),
  prepare:
    () =>
    ({ failed, errorType }) => {
      if (failed === undefined) return { skip: 'Whether it failed is not known.' };
      return yes(!failed, failed ? `It failed: ${errorType ?? 'no type was reported'}.` : 'It did not fail.');
    },
});
