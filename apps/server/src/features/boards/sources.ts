import type { RequestContext } from '@candela/kernel';
import type { Handlers } from '../../http/handlers.ts';
import type { SharedAnswers } from '../../http/shared-answers.ts';
import type { PanelSources } from './kinds.ts';

type Asked = keyof PanelSources;

/** One answer of the same question that several boards ask at once. */
export function sharedSources(sources: PanelSources, answers: SharedAnswers): PanelSources {
  const ask = <Id extends Asked>(id: Id): PanelSources[Id] =>
    // The types of question and answer meet in `PanelSources`.
    ((context: RequestContext, body: never, signal: AbortSignal) =>
      answers.ask<unknown>(context, ['panel', id, body], signal, (until) =>
        sources[id](context, body, until),
      )) as unknown as PanelSources[Id];
  return {
    aggregate: ask('aggregate'),
    queryMetric: ask('queryMetric'),
    queryMetricHeatmap: ask('queryMetricHeatmap'),
    spanDurations: ask('spanDurations'),
    // What a statement shows depends on the role of who asks.
    executeSql: sources.executeSql,
  };
}

/** Panels ask the routes themselves, so that a widget and the API never differ. */
export function panelSources(handlers: Pick<Handlers, Asked>): PanelSources {
  const ask = <Id extends Asked>(id: Id): PanelSources[Id] =>
    // These handlers read context, body and signal of their input.
    ((context: unknown, body: unknown, signal: unknown) =>
      (handlers[id] as unknown as (input: unknown) => unknown)({
        context,
        body,
        signal,
      })) as PanelSources[Id];
  return {
    aggregate: ask('aggregate'),
    queryMetric: ask('queryMetric'),
    queryMetricHeatmap: ask('queryMetricHeatmap'),
    spanDurations: ask('spanDurations'),
    executeSql: ask('executeSql'),
  };
}
