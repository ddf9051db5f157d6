import type { z } from 'zod';

/** What is judged: a span, an item of an experiment, or texts that a client sent. */
export interface Subject {
  readonly input: string;
  readonly output: string;
  /** What the answer was to be made from. */
  readonly contexts: readonly string[];
  /** What was expected, of an item of a dataset. */
  readonly expected?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly failed?: boolean | undefined;
  readonly errorType?: string | undefined;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
}

/** What a deterministic evaluator says: 1 is best. `skip`: the subject lacks what it looks at. */
export type Outcome =
  | { readonly value: number; readonly label?: string; readonly explanation: string }
  | { readonly skip: string };

/** One way to judge without a model. */
export interface EvaluatorKind<S extends z.ZodObject = z.ZodObject> {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly settings: S;
  /** Makes ready what settings say, once for many subjects. @throws an Error with a sentence about bad settings */
  prepare(settings: z.output<S>): (subject: Subject) => Outcome;
}

/** Keeps the settings' type while the registry forgets it. */
export const defineKind = <S extends z.ZodObject>(kind: EvaluatorKind<S>): EvaluatorKind =>
  kind as unknown as EvaluatorKind;

export const yes = (is: boolean, explanation: string): Outcome => ({ value: Number(is), explanation });

/** A text as it is shown in an explanation. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
