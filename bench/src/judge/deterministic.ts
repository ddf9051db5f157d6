import { KINDS, type Subject } from '../../../apps/server/src/features/evaluations/kinds/index.ts';
import { type Figure, thousands } from '../lib/table.ts';

const GOAL = 20_000;
const WARM_MS = 200;
const MEASURED_MS = 1_000;
const SETTINGS: Readonly<Record<string, object>> = {
  contains: { phrases: ['Paris', 'Rome'] },
  starts_ends: { start: 'The' },
  regex: { pattern: '\\bParis\\b.*' },
  url_allow_list: { hosts: ['example.com'] },
  json_schema: { schema: { type: 'object' } },
};
const SUBJECT: Subject = {
  input: 'What is the capital of France, and where is that written?',
  output: 'The capital of France is Paris, see https://example.com/france for the sources of that. '.repeat(
    6,
  ),
  contexts: [],
  expected: 'The capital of France is Paris. '.repeat(6),
  durationMs: 900,
  costUsd: 0.002,
  inputTokens: 400,
  outputTokens: 90,
  failed: false,
  toolCalls: [{ name: 'search', arguments: '{"q":"capital of France"}' }],
};

/** Spans a second of each kind of evaluator without a model, in one thread, after a warm-up. */
export function deterministic(): Figure[] {
  const rates = KINDS.flatMap((kind) => {
    const settings = kind.settings.safeParse(SETTINGS[kind.id] ?? {});
    if (!settings.success) return [];
    const judge = kind.prepare(settings.data);
    const during = (ms: number) => {
      const began = performance.now();
      let judged = 0;
      for (; performance.now() - began < ms; judged += 1) judge(SUBJECT);
      return (judged * 1_000) / (performance.now() - began);
    };
    during(WARM_MS);
    return [{ id: kind.id, perSecond: during(MEASURED_MS) }];
  }).toSorted((a, b) => a.perSecond - b.perSecond);
  const [slowest, middle] = [rates[0], rates[rates.length >> 1]];
  return [
    {
      what: `evaluators without a model (${rates.length} kinds), answers of ${SUBJECT.output.length} characters: the slowest, the middle one`,
      value: `${thousands(slowest?.perSecond ?? 0)} spans/s (${slowest?.id ?? ''}), ${thousands(middle?.perSecond ?? 0)} spans/s`,
      against: `goal ${thousands(GOAL)} spans/s`,
    },
  ];
}
