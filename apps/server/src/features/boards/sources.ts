import type { RequestContext } from '@candela/kernel';
import type { SharedAnswers } from '../../http/shared-answers.ts';
import type { PanelSources } from './kinds.ts';

/** Routes that panels ask. */
export const PANEL_ROUTES = [
  'aggregate',
  'queryMetric',
  'queryMetricHeatmap',
  'spanDurations',
  'executeSql',
  'scoreAnalytics',
  'getChatUsage',
] as const satisfies readonly (keyof PanelSources)[];

/** One answer of the same question that several boards ask at once. */
export function sharedSources(sources: PanelSources, answers: SharedAnswers): PanelSources {
  const ask = <Id extends keyof PanelSources>(id: Id): PanelSources[Id] =>
    // The types of question and answer meet in `PanelSources`.
    ((context: RequestContext, body: never, signal: AbortSignal) =>
      answers.ask<unknown>(context, ['panel', id, body], signal, (until) =>
        sources[id](context, body, until),
      )) as unknown as PanelSources[Id];
  return {
    ...sources,
    aggregate: ask('aggregate'),
    queryMetric: ask('queryMetric'),
    queryMetricHeatmap: ask('queryMetricHeatmap'),
    spanDurations: ask('spanDurations'),
    // What a statement shows depends on the role of who asks; scores and usage are small.
  };
}
