import { RARE_KEY } from '../data/spans.ts';
import { CHART_GOAL_MS, holds, type Loaded, post, type Question, windowOf } from './question.ts';

/** Keys that no look at what is common gives a column to, with what they are. */
const UNCOMMON = [
  [RARE_KEY, 'on one span of a thousand'],
  ['gen_ai.response.id', 'of ids'],
] as const;

/** Charts by attributes that have no column until somebody asks for them: what is asked second finds it. */
export function attributeQuestions(loaded: Loaded): Question[] {
  const chart = (name: string, body: object): Question =>
    post(`chart: ${name}`, CHART_GOAL_MS, 'aggregate', { ...windowOf(loaded), ...body }, holds('rows', 2));
  return UNCOMMON.flatMap(([key, what]): Question[] => {
    const name = `spans by an attribute ${what}`;
    const byKey = { measures: ['count'], groupBy: [`attributes.${key}`], limit: 10 };
    return [
      { ...chart(name, byKey), after: 'asked' },
      {
        ...chart(`${name}, over time, asked once before`, { ...byKey, bucketSeconds: 'auto' }),
        after: 'looked',
      },
    ];
  });
}
