import type { Frame, Panel } from '@candela/contract';
import {
  frameOfAggregate,
  frameOfDurations,
  frameOfHeatmap,
  frameOfMetric,
  frameOfSql,
  frameOfText,
} from '@candela/contract/frames';
import { queryOptions } from '@tanstack/react-query';
import { addressOf, call } from '../../api/client.ts';
import { estimatedFirst } from '../../api/estimate.ts';
import { bounds, type Scope } from '../../api/telemetry.ts';
import { bucketSeconds } from '../../lib/time-range.ts';
import type { OpenQuery } from '../explore/open-query.tsx';

/** Time buckets of a heat map of durations. */
const COLUMNS = 120;
/** Rows of a statement that a chart takes. */
const SQL_ROWS = 1_000;

type QueryOf<Kind extends Panel['query']['kind']> = Extract<Panel['query'], { kind: Kind }>;

/** The text of a panel and of the page: both must hold. */
const both = (q: string | undefined, page: string): { q?: string } => {
  const parts = [q ?? '', page].map((part) => part.trim()).filter((part) => part !== '');
  if (parts.length === 0) return {};
  return { q: parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => `(${part})`).join(' ') };
};

const window = (scope: Scope) => bounds({ ...scope, q: '' });

const aggregateBody = ({ query, visual }: Panel & { query: QueryOf<'aggregate'> }, scope: Scope) => ({
  ...query.body,
  ...window(scope),
  ...both(query.body.q, scope.q),
  ...(visual.compare === true ? { comparePrevious: true } : {}),
});
const metricBody = ({ body }: QueryOf<'metric'>, scope: Scope) => ({
  ...body,
  ...window(scope),
  ...both(body.q, scope.q),
});
const heatBody = (query: QueryOf<'metric'>, scope: Scope) => {
  const { aggregation: _how, groupBy: _by, limit: _most, ...rest } = metricBody(query, scope);
  return rest;
};
const durationBody = ({ body }: QueryOf<'durations'>, scope: Scope) => ({
  ...body,
  ...window(scope),
  ...both(body.q, scope.q),
  bucketSeconds: bucketSeconds(scope.window, COLUMNS),
});

const sqlBody = ({ query }: QueryOf<'sql'>, scope: Scope) => ({
  query,
  ...window(scope),
  limit: SQL_ROWS,
});

/** Scores and usage are asked as panels: the search of the page says nothing of them. */
const panelBody = ({ query, visual }: Panel, scope: Scope) => ({
  panel: { query, visual },
  ...window(scope),
});

/** Asks what a panel asks, within the scope of a page. Where it takes long, a first estimate comes before the answer. */
export const panelFrameQuery = (panel: Panel, scope: Scope) =>
  queryOptions({
    queryKey: ['panel', panel.query, panel.visual.compare === true, panel.visual.type === 'heatmap', scope],
    queryFn: estimatedFirst(
      (how, signal): Promise<Frame> => frameOf(panel, scope, how, signal),
      ({ sample }) => sample,
    ),
  });

async function frameOf(
  panel: Panel,
  scope: Scope,
  how: { readonly early?: true },
  signal: AbortSignal,
): Promise<Frame> {
  const { query } = panel;
  const around = { environment: scope.environment, signal };
  switch (query.kind) {
    case 'aggregate': {
      const body = { ...aggregateBody({ ...panel, query }, scope), ...how };
      return frameOfAggregate(query.body, await call('aggregate', { ...around, body }));
    }
    case 'metric': {
      if (panel.visual.type !== 'heatmap')
        return frameOfMetric(await call('queryMetric', { ...around, body: metricBody(query, scope) }));
      return frameOfHeatmap(await call('queryMetricHeatmap', { ...around, body: heatBody(query, scope) }));
    }
    case 'durations': {
      const body = { ...durationBody(query, scope), ...how };
      return frameOfDurations(await call('spanDurations', { ...around, body }));
    }
    case 'sql': {
      const { data } = await call('executeSql', { ...around, body: sqlBody(query, scope) });
      return frameOfSql(data);
    }
    case 'scores':
    case 'usage':
      return call('queryPanel', { ...around, body: panelBody(panel, scope) }).then(({ data }) => data);
    case 'markdown':
      return frameOfText(query.text);
  }
}

/** The request behind a panel, for "Open query"; undefined: it asks nothing. */
export function openQueryOf(panel: Panel, scope: Scope): OpenQuery | undefined {
  const { query } = panel;
  const { environment } = scope;
  switch (query.kind) {
    case 'aggregate': {
      const body = aggregateBody({ ...panel, query }, scope);
      const rows =
        query.body.signal === 'logs'
          ? { to: '/logs', search: { q: body.q ?? '' } }
          : { to: '/traces', search: { q: body.q ?? '', view: 'spans' } };
      return { path: addressOf('aggregate'), body, environment, rows, panel };
    }
    case 'metric':
      return panel.visual.type === 'heatmap'
        ? { path: addressOf('queryMetricHeatmap'), body: heatBody(query, scope), environment, panel }
        : { path: addressOf('queryMetric'), body: metricBody(query, scope), environment, panel };
    case 'durations':
      return { path: addressOf('spanDurations'), body: durationBody(query, scope), environment, panel };
    case 'sql':
      return { path: addressOf('executeSql'), body: sqlBody(query, scope), environment, panel };
    case 'scores':
    case 'usage':
      return { path: addressOf('queryPanel'), body: panelBody(panel, scope), environment, panel };
    case 'markdown':
      return undefined;
  }
}
