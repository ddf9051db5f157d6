import type { Handlers } from '../../http/handlers.ts';
import type { PanelSources } from './kinds.ts';

type Asked = keyof PanelSources;

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
  };
}
