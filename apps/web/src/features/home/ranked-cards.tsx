import { Link, useNavigate } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { type AggregateData, type FigureBody, figureBody } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { changeOf, changeText } from '../../charts/prepare/change.ts';
import { missingUntil } from '../../charts/prepare/covered.ts';
import { BarList } from '../../charts/visualise/bar-list.tsx';
import { cx } from '../../lib/cx.ts';
import { exact, formatCount, formatDuration } from '../../lib/format.ts';
import { isShortName } from '../../lib/name-parts.ts';
import { quoted } from '../../lib/query-text.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { rankedOf } from './figures.ts';
import { useAsked, useFigures } from './use-figures.ts';

const SLOWEST: FigureBody = {
  groupBy: ['name', 'service'],
  measures: ['duration_p95', 'count'],
  limit: 13,
  comparePrevious: true,
};
const FAILING: FigureBody = {
  q: 'status:error',
  groupBy: ['service'],
  measures: ['count'],
  limit: 6,
  comparePrevious: true,
};
const AGENTS: FigureBody = {
  q: 'operation:invoke_agent agent:*',
  groupBy: ['agent'],
  measures: ['count', 'error_rate', 'duration_p50'],
  limit: 6,
  comparePrevious: true,
};

const queryOf = (scope: Scope, body: FigureBody, q: string) => ({
  path: addressOf('aggregate'),
  body: figureBody(scope, body),
  environment: scope.environment,
  rows: { to: '/traces', search: { ...(q === '' ? {} : { q }), view: 'spans' } },
});

/** The operations with the highest p95, and how it moved. */
export function SlowestOperations({ scope }: { scope: Scope }) {
  const query = useFigures(scope, SLOWEST);
  const asked = useAsked(SLOWEST);
  const rows = rankedOf(query.data);
  const compared = compares(query.data);
  return (
    <ChartCard
      title="Slowest operations"
      note="p95"
      state={query}
      isEmpty={rows.length === 0}
      query={queryOf(scope, asked, '')}
    >
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">Operations by p95: spans, p95, change</caption>
        <colgroup>
          <col />
          <col className="w-14" />
          <col className="w-18" />
          {compared && <col className="w-16" />}
        </colgroup>
        <tbody>
          {rows.map(({ group: [name = '', service = ''], values, before }) => (
            <tr key={`${name}\n${service}`} className="border-b border-line/50 last:border-0 hover:bg-hover">
              <td className="truncate py-1 pl-1">
                <Link
                  to="/traces"
                  search={{
                    q: `name:${quoted(name)} service:${quoted(service)}`,
                    view: 'spans',
                    sort: '-duration',
                  }}
                  title={`${name} of ${service}: the slowest spans`}
                  className="flex gap-1 hover:underline"
                >
                  <MiddleTruncation name={name || '(no name)'} title="" className={shrinks(name)} />{' '}
                  <MiddleTruncation name={service} title="" className={cx('text-muted', shrinks(service))} />
                </Link>
              </td>
              <td className="py-1 text-right text-muted" title={`${exact(values[1])} spans`}>
                {formatCount(values[1])}
              </td>
              <td className="py-1 pr-1 text-right" title={exact(values[0], ' ms')}>
                {formatDuration(values[0])}
              </td>
              {compared && (
                <td className="py-1 pr-1 text-right">
                  <Change now={values[0] ?? null} before={before} format={(ms) => exact(ms, ' ms')} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ChartCard>
  );
}

/** A short name stays whole beside a long one. */
const shrinks = (name: string) => (isShortName(name) ? 'shrink-0' : undefined);

/** Against a period that holds nothing, everything would be new; against a part of it, more. */
const compares = (data: AggregateData | undefined): boolean =>
  data?.rows.some((row) => row.previous !== null) === true && missingUntil(data.previous) === undefined;

/** How a figure moved, where less is better. */
function Change(props: {
  now: number | null;
  before: number | null;
  format: (value: number | null) => string;
}) {
  const change = changeOf(props.now, props.before, 'lower');
  const text = props.before === null ? 'new' : changeText(change);
  const notable = change.verdict !== 'neutral' && Math.abs(change.ratio ?? 1) >= 0.1;
  return (
    <span
      title={
        props.before === null
          ? 'Not seen in the period before'
          : `${props.format(props.before)} in the period before`
      }
      className={cx(!notable ? 'text-muted' : change.verdict === 'worse' ? 'text-danger' : 'text-ok')}
    >
      {text === 'no change' ? '=' : text}
    </span>
  );
}

export function ErrorsByService({ scope }: { scope: Scope }) {
  const query = useFigures(scope, FAILING);
  const asked = useAsked(FAILING);
  const navigate = useNavigate();
  const rows = rankedOf(query.data);
  return (
    <ChartCard
      title="Errors by service"
      state={query}
      height={104}
      isEmpty={rows.length === 0}
      empty="No span failed in this time range."
      query={queryOf(scope, asked, 'status:error')}
    >
      <BarList
        label="Failed spans by service"
        items={rows.map(({ group: [service = ''], values, before }) => ({
          key: service,
          label: service,
          value: values[0] ?? null,
          tone: 'danger' as const,
          ...(compares(query.data)
            ? { note: <Change now={values[0] ?? null} before={before} format={exact} /> }
            : {}),
        }))}
        total={query.data?.groups ?? rows.length}
        onChoose={(service) =>
          void navigate({
            to: '/traces',
            search: { q: `status:error service:${quoted(service)}`, view: 'spans' },
          })
        }
      />
    </ChartCard>
  );
}

export function BusiestAgents({ scope }: { scope: Scope }) {
  const query = useFigures(scope, AGENTS);
  const asked = useAsked(AGENTS);
  const navigate = useNavigate();
  const rows = rankedOf(query.data);
  return (
    <ChartCard
      title="Most active agents"
      note="runs"
      state={query}
      height={104}
      isEmpty={rows.length === 0}
      empty="No agent ran in this time range."
      query={queryOf(scope, asked, 'operation:invoke_agent agent:*')}
    >
      <BarList
        label="Runs by agent"
        items={rows.map(({ group: [agent = ''], values }) => ({
          key: agent,
          label: agent,
          value: values[0] ?? null,
          note: `${formatDuration(values[2])}${(values[1] ?? 0) > 0 ? ` · ${percent(values[1] ?? 0)} failed` : ''}`,
        }))}
        total={query.data?.groups ?? rows.length}
        onChoose={(agent) =>
          void navigate({
            to: '/traces',
            search: { q: `operation:invoke_agent agent:${quoted(agent)}`, view: 'spans' },
          })
        }
      />
    </ChartCard>
  );
}

const percent = (ratio: number): string => `${Number((ratio * 100).toPrecision(2))}%`;
