import { canonicalFilter, type Filter } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { importDocument } from './index.ts';

const PROMETHEUS = { type: 'prometheus', uid: '${DS_PROMETHEUS}' };
const LOKI = { type: 'loki', uid: 'loki' };
const CLICKHOUSE = { type: 'grafana-clickhouse-datasource', uid: 'ch' };

/** As an inference server's dashboard is exported today: `fieldConfig`, `$__rate_interval`, a variable of label values. */
const INFERENCE = {
  __inputs: [{ name: 'DS_PROMETHEUS', type: 'datasource', pluginId: 'prometheus' }],
  title: 'Inference server',
  schemaVersion: 39,
  tags: ['gpu'],
  templating: {
    list: [
      { name: 'DS_PROMETHEUS', type: 'datasource', query: 'prometheus' },
      {
        name: 'model_name',
        type: 'query',
        query: { query: 'label_values(model_name)', refId: 'StandardVariableQuery' },
        multi: true,
        current: { text: ['All'], value: ['$__all'] },
      },
    ],
  },
  panels: [
    {
      id: 9,
      type: 'timeseries',
      title: 'Request latency',
      datasource: PROMETHEUS,
      fieldConfig: {
        defaults: {
          unit: 's',
          custom: {
            drawStyle: 'line',
            stacking: { group: 'A', mode: 'none' },
            thresholdsStyle: { mode: 'off' },
          },
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: 'red', value: 80 },
            ],
          },
        },
        overrides: [],
      },
      gridPos: { h: 8, w: 12, x: 0, y: 0 },
      options: { legend: { showLegend: true } },
      targets: [
        {
          expr: 'histogram_quantile(0.99, sum by(le) (rate(server:latency_seconds_bucket{model_name="$model_name"}[$__rate_interval])))',
          legendFormat: 'P99',
        },
        {
          expr: 'rate(server:latency_seconds_sum{model_name="$model_name"}[$__rate_interval])\n/\nrate(server:latency_seconds_count{model_name="$model_name"}[$__rate_interval])',
          legendFormat: 'Average',
        },
        { expr: 'hidden', hide: true },
      ],
    },
    {
      id: 8,
      type: 'gauge',
      title: 'Cache',
      datasource: PROMETHEUS,
      fieldConfig: {
        defaults: {
          unit: 'percent',
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: '#EAB839', value: 50 },
              { color: 'dark-orange', value: 70 },
              { color: 'red', value: 90 },
            ],
          },
        },
      },
      gridPos: { h: 8, w: 6, x: 12, y: 0 },
      targets: [{ expr: '100 * max by (instance) (server:cache_usage{job=~"prod-.+"})' }],
    },
    {
      type: 'row',
      collapsed: true,
      title: 'More',
      gridPos: { h: 1, w: 24, x: 0, y: 8 },
      panels: [
        {
          type: 'heatmap',
          title: 'Prompt lengths',
          datasource: PROMETHEUS,
          gridPos: { h: 8, w: 12, x: 0, y: 9 },
          targets: [
            {
              expr: 'sum by(le) (increase(server:prompt_tokens_bucket{model_name="$model_name"}[$__rate_interval]))',
              format: 'heatmap',
            },
          ],
        },
        {
          type: 'timeseries',
          title: 'Tokens of reasons',
          datasource: PROMETHEUS,
          fieldConfig: { defaults: { custom: { stacking: { mode: 'normal' } } } },
          gridPos: { h: 8, w: 12, x: 12, y: 9 },
          targets: [
            { expr: 'topk(5, sum by (reason) (rate(server:tokens_total{reason!~"abort|error"}[5m])))' },
            { expr: 'sum(server:a) / sum(server:b)', legendFormat: 'ratio' },
          ],
        },
      ],
    },
  ],
};

describe('a Grafana dashboard', () => {
  it('of an inference server is said in our queries, a widget a target, and tells what is not', () => {
    const { board, report } = importDocument(INFERENCE);
    expect(board.variables).toEqual([
      {
        name: 'model_name',
        label: 'model_name',
        kind: 'field',
        field: 'attributes.model_name',
        values: [],
        multi: true,
        initial: [],
      },
    ]);
    const body = (metric: string, more: object) => ({
      kind: 'metric',
      body: { metric, groupBy: [], limit: 20, ...more },
    });
    expect(board.widgets.map(({ title, query }) => [title, query])).toEqual([
      ['Request latency · P99', body('server:latency_seconds', { aggregation: 'p99' })],
      ['Request latency · Average', body('server:latency_seconds', { aggregation: 'avg' })],
      [
        'Cache',
        body('server:cache_usage', {
          aggregation: 'max',
          groupBy: ['resource.service.instance.id'],
          filter: { field: 'service', op: 'regex', value: '^(?:prod-.+)$' },
        }),
      ],
      ['Prompt lengths', body('server:prompt_tokens', {})],
      [
        'Tokens of reasons',
        body('server:tokens_total', {
          aggregation: 'rate',
          groupBy: ['attributes.reason'],
          limit: 5,
          filter: { not: { field: 'attributes.reason', op: 'in', value: ['abort', 'error'] } },
        }),
      ],
    ]);
    expect(board.widgets.map(({ visual }) => visual)).toMatchObject([
      { type: 'line', unit: 's', stacked: false },
      { type: 'line' },
      {
        type: 'stat',
        unit: '1',
        thresholds: [
          { value: 70, tone: 'warn', when: 'above' },
          { value: 90, tone: 'danger', when: 'above' },
        ],
      },
      { type: 'heatmap' },
      { type: 'area', stacked: true },
    ]);
    expect(report.widgets.map(({ reason }) => reason)).toEqual([
      null,
      'Its series are one line here: group it by a label to tell them apart.',
      null,
      null,
      'Left out: sum(server:a) / sum(server:b): metrics are not calculated with each other.',
    ]);
    for (const { query } of board.widgets) {
      const filter = query.kind === 'metric' ? (query.body.filter as Filter | undefined) : undefined;
      if (filter !== undefined) expect(() => canonicalFilter(filter, 'metrics')).not.toThrow();
    }
  });

  it('of logs counts records, and statements take variables', () => {
    const panel = (title: string, datasource: object, target: object, type = 'timeseries') => ({
      type,
      title,
      datasource,
      targets: [target],
      gridPos: { x: 0, y: 0, w: 24, h: 8 },
    });
    const { board, report } = importDocument({
      dashboard: {
        title: 'Logs',
        templating: {
          list: [
            { name: 'Env', type: 'custom', query: 'Live : prod,Test : dev', current: { value: 'prod' } },
            { name: 'svc', type: 'custom', query: 'a,b', multi: true },
          ],
        },
        panels: [
          panel('Errors', LOKI, {
            expr: 'sum by (level) (count_over_time({app="shop", env="$Env"} |= "time out (1)" | json | level=~"error|warn" [$__auto]))',
          }),
          panel('Rate', LOKI, { expr: 'sum(rate({job="x"} != "healthz" [1m])) by (pod)' }, 'stat'),
          panel('Lines', LOKI, { expr: '{app="shop"} |= "x"' }, 'table'),
          panel('Bytes', LOKI, { expr: 'sum(bytes_over_time({app="shop"}[1m]))' }),
          panel('Statement', CLICKHOUSE, {
            rawSql:
              "SELECT $__timeInterval(Timestamp) AS t, count() AS n FROM otel_traces WHERE $__timeFilter(Timestamp) AND ServiceName IN (${svc:singlequote}) AND SpanName = '$Env' GROUP BY t",
          }),
          panel('Other', { type: 'elasticsearch' }, { query: '*' }),
        ],
      },
    });
    const asked = board.widgets.map(({ query }) => query);
    expect(asked[0]).toMatchObject({
      kind: 'aggregate',
      body: {
        signal: 'logs',
        groupBy: ['severity'],
        bucketSeconds: 'auto',
        filter: {
          and: [
            { field: 'service', op: '=', value: 'shop' },
            { field: 'body', op: 'regex', value: String.raw`time out \(1\)` },
            { field: 'severity', op: 'in', value: ['error', 'warn'] },
          ],
        },
      },
    });
    expect(asked[1]).toMatchObject({ body: { groupBy: ['resource.k8s.pod.name'] } });
    expect(asked[1]).not.toHaveProperty('body.bucketSeconds');
    expect(asked[4]).toEqual({
      kind: 'sql',
      query:
        "SELECT toStartOfInterval(Timestamp, INTERVAL 5 MINUTE) AS t, count() AS n FROM otel_traces WHERE 1 AND ServiceName IN {{filter.svc}} AND SpanName = '{{filter.env}}' GROUP BY t",
    });
    expect(board.variables).toMatchObject([
      { name: 'env', kind: 'list', field: 'attributes.env', values: ['prod', 'dev'], initial: ['prod'] },
      { name: 'svc', kind: 'list', multi: true, values: ['a', 'b'] },
    ]);
    expect(report.widgets.map(({ outcome }) => outcome)).toEqual([
      'taken',
      'taken',
      'placeholder',
      'placeholder',
      'taken',
      'placeholder',
    ]);
    for (const query of asked) {
      const filter = query.kind === 'aggregate' ? (query.body.filter as Filter | undefined) : undefined;
      if (filter !== undefined) expect(() => canonicalFilter(filter, 'logs')).not.toThrow();
    }
  });

  it('of old has rows and single figures', () => {
    const { board } = importDocument({
      title: 'Old',
      rows: [
        {
          panels: [
            {
              type: 'singlestat',
              title: 'One',
              span: 4,
              format: 'bytes',
              thresholds: '10,20',
              targets: [{ expr: 'sum(memory)' }],
            },
            {
              type: 'graph',
              title: 'Two',
              span: 8,
              stack: true,
              yaxes: [{ format: 'ms' }],
              targets: [{ expr: 'sum(rate(x_total[5m])) by (host)' }],
            },
          ],
        },
      ],
    });
    expect(board.widgets).toMatchObject([
      {
        place: { x: 0, w: 4 },
        visual: {
          type: 'stat',
          unit: 'By',
          thresholds: [
            { value: 10, tone: 'warn' },
            { value: 20, tone: 'danger' },
          ],
        },
      },
      { place: { x: 4, w: 8 }, visual: { type: 'area', unit: 'ms', stacked: true } },
    ]);
  });

  it.each([
    ['up offset 5m', /another time/],
    ['$metric', /variable stands where a name/],
    ['rate($metric[5m])', /variable stands where a name/],
    ['max(rate(x[5m]))', /max of several rates/],
    ['sum without (a) (x)', /without/],
    ['histogram_quantile(0.42, rate(x_bucket[5m]))', /quantiles here are/],
    ['predict_linear(x[1h], 60)', /predict_linear has no match/],
    ['a{b="${c}-d"}', /part of the value of b/],
    ['a{b!="$c"}', /which b is left out/],
    ['rate(x_sum[5m])', /part of a histogram/],
    ['"', /it has/],
    [`${'('.repeat(200)}x${')'.repeat(200)}`, /too deep/],
    [`sum(${'x+'.repeat(400)}x)`, /too long/],
    ['x{a="b"', /not read here/],
    ['', /has no match/],
  ])('says why %j cannot be said', (expr, sentence) => {
    const { report } = importDocument({
      title: 'x',
      panels: [{ type: 'timeseries', title: 'x', datasource: PROMETHEUS, targets: [{ expr }] }],
    });
    expect(report.widgets).toMatchObject([{ outcome: 'placeholder' }]);
    expect(report.widgets[0]?.reason).toMatch(sentence);
  });

  it('has at most as many widgets as a board: queries beyond are told of', () => {
    const targets = Array.from({ length: 5 }, (_, at) => ({ expr: `m${at}` }));
    const { board, report } = importDocument({
      title: 'x',
      panels: Array.from({ length: 50 }, () => ({
        type: 'timeseries',
        title: 'x',
        datasource: PROMETHEUS,
        targets,
      })),
    });
    expect(board.widgets).toHaveLength(60);
    expect(report.widgets.at(-1)?.reason).toContain('4 more of its queries have no room.');
  });
});
