import { RARE_KEY } from '../data/spans.ts';
import { CHART_GOAL_MS, holds, type Loaded, post, type Question, windowOf } from './question.ts';

/** Keys with what they are and what is asked of their spans. */
const KEYS = [
  [RARE_KEY, 'spans by an attribute on one span of a thousand', 'count'],
  ['gen_ai.response.id', 'spans by an attribute of ids', 'count'],
  ['gen_ai.usage.output_tokens', 'p95 of the duration by an attribute of 300 values', 'duration_p95'],
] as const;

/** Charts by attributes that have no column until somebody asks for them: what is asked second finds it. */
export function attributeQuestions(loaded: Loaded): Question[] {
  const over = windowOf(loaded);
  const chart = (name: string, body: object): Question => ({
    ...post(`chart: ${name}`, CHART_GOAL_MS, 'aggregate', { ...over, ...body }, holds('rows', 2)),
    askEarly: (api) => api.post('/api/telemetry/aggregate', { ...over, ...body, early: true }),
  });
  return KEYS.flatMap(([key, name, measure]): Question[] => {
    const byKey = { measures: [measure], groupBy: [`attributes.${key}`], limit: 10 };
    return [
      { ...chart(name, byKey), column: 'asked' },
      {
        ...chart(`${name}, over time, asked once before`, { ...byKey, bucketSeconds: 'auto' }),
        column: 'kept',
      },
    ];
  });
}
