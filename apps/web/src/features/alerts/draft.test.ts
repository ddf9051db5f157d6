import { expect, it } from 'vitest';
import { newDraft } from './draft.ts';

const on = (kind: string, measure: string, threshold?: object) =>
  newDraft(JSON.stringify({ title: 'A chart', query: { kind, body: { measures: [measure] } }, threshold }))
    .source;

it.each([
  ['scores', 'pass_rate', { op: '<', value: 0.8 }],
  ['scores', 'mean', { op: '<', value: 0.5 }],
  ['aggregate', 'error_rate', { op: '>', value: 0.05 }],
  ['aggregate', 'count', { op: '>', value: 10 }],
])('an alert on a chart of %s, %s, begins with a limit that can be passed', (kind, measure, condition) => {
  expect(on(kind, measure)).toMatchObject({ kind: 'threshold', condition });
});

it('the threshold of a chart is its limit', () => {
  expect(on('scores', 'pass_rate', { value: 0.95, when: 'below' })).toMatchObject({
    condition: { op: '<', value: 0.95 },
  });
});

it('what is no query of a chart begins an alert of its own', () => {
  expect(newDraft('{"query":5}')).toMatchObject({ name: '', source: { kind: 'threshold' } });
  expect(newDraft(undefined)).toMatchObject({ name: '', source: { kind: 'threshold' } });
});
