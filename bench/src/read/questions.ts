import { attributeQuestions } from './attribute-questions.ts';
import { logQuestions } from './log-questions.ts';
import { pointQuestions } from './point-questions.ts';
import type { Loaded, Question } from './question.ts';
import { spanQuestions } from './span-questions.ts';
import type { BenchSignal } from '../data/batch.ts';

/** The questions about each signal, with their goals. */
export const QUESTIONS: Readonly<Record<BenchSignal, (loaded: Loaded) => readonly Question[]>> = {
  spans: (loaded) => [...spanQuestions(loaded), ...attributeQuestions(loaded)],
  logs: logQuestions,
  points: pointQuestions,
};
