import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { type FigureBody, figureBody } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { BarList } from '../../charts/visualise/bar-list.tsx';
import { exact, formatCount } from '../../lib/format.ts';
import { quoted } from '../../lib/query-text.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { rankedOf } from './figures.ts';
import { useAsked, useFigures } from './use-figures.ts';

/** The calls of models among what is searched for. */
const callsOf = (q: string): FigureBody => ({
  q: q.trim() === '' ? 'base_model:*' : `(${q}) base_model:*`,
  groupBy: ['base_model'],
  measures: ['count', 'errors', 'error_rate'],
  limit: 6,
});

/** Calls of the busiest models and how many of them failed. A model is one row, whatever build answered or was asked for. */
export function ErrorsByModel({ scope }: { scope: Scope }) {
  const calls = useMemo(() => callsOf(scope.q), [scope.q]);
  const query = useFigures(scope, calls);
  const asked = useAsked(calls);
  const { q = '' } = calls;
  const navigate = useNavigate();
  const rows = rankedOf(query.data);
  return (
    <ChartCard
      title="Errors by model"
      note="calls"
      state={query}
      height={104}
      isEmpty={rows.length === 0}
      empty="No model was called in this time range."
      query={{
        path: addressOf('aggregate'),
        body: figureBody(scope, asked),
        environment: scope.environment,
        rows: { to: '/traces', search: { q, view: 'spans' } },
      }}
    >
      <BarList
        label="Calls by model"
        items={rows.map(({ group: [model = ''], values: [made, errors, rate] }) => ({
          key: model,
          label: model,
          value: made ?? null,
          note: (
            <span
              title={`${exact(errors)} of ${exact(made)} failed`}
              className={(errors ?? 0) > 0 ? 'text-danger' : 'text-muted'}
            >
              {(errors ?? 0) > 0 ? `${percent(rate ?? 0)} failed` : `${formatCount(errors)} failed`}
            </span>
          ),
        }))}
        total={query.data?.groups ?? rows.length}
        onChoose={(model) =>
          void navigate({
            to: '/traces',
            search: {
              q: `${q.replace(/base_model:\*$/, '')}base_model:${quoted(model)} status:error`,
              view: 'spans',
            },
          })
        }
      />
    </ChartCard>
  );
}

const percent = (ratio: number): string => `${Number((ratio * 100).toPrecision(2))}%`;
