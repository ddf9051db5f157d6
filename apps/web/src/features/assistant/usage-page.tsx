import type { UsageFigures, UsageGroup } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { usageQuery } from '../../api/chat.ts';
import { formatCost, formatCount } from '../../lib/format.ts';
import { TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Table } from '../../ui/table.tsx';
import { Loaded, Section, SettingsPage } from '../settings/page.tsx';
import type { UsageSearch } from './usage-search.ts';

const route = getRouteApi('/settings/usage');
const WINDOWS = ['24H', '7D', '1M', '3M', 'CUSTOM'] as const;
const GROUPS = ['feature', 'provider', 'model', 'date'] as const;
const WORDS: Record<string, string> = {
  chat: 'Assistant',
  evaluation: 'Evaluations',
  experiment: 'Experiments',
  playground: 'Playground',
  'prompt-try': 'Trying prompts',
  'model-check': 'Checking models',
  'trace-analysis': 'AI analysis of traces',
  'span-analysis': 'AI analysis of spans',
  'prompt-improvement': 'Prompt improvement',
};

/** Calls without a known price or usage cost something all the same. */
const costOf = ({ costUsd, unpricedCalls, unknownCalls }: UsageFigures): string =>
  costUsd === 0 && unpricedCalls + unknownCalls > 0 ? 'cost unknown' : formatCost(costUsd);

/** What Candela itself asked of models, and what that cost. */
export function UsagePage() {
  const { window = '7D', by = 'feature', from = '', to = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: UsageSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const isCustom = window === 'CUSTOM';
  const query = useQuery({
    ...usageQuery({
      window,
      groupBy: by,
      ...(isCustom ? { from: from || '-30d', ...(to === '' ? {} : { to }) } : {}),
    }),
  });
  return (
    <SettingsPage
      title="Usage"
      about="Calls of models that Candela itself made: one row a call in the books, summed to the token. Cost is estimated by the price list."
    >
      <div className="flex flex-wrap items-end gap-3">
        <Segments
          label="Time"
          value={window}
          choices={WINDOWS}
          nameOf={(each) => (each === 'CUSTOM' ? 'Custom' : each)}
          onChoose={(next) => change({ window: next })}
        />
        {isCustom && (
          <>
            <TextField
              label="From (UTC)"
              type="date"
              value={from}
              onValue={(next) => change({ from: next })}
            />
            <TextField label="To (UTC)" type="date" value={to} onValue={(next) => change({ to: next })} />
          </>
        )}
        <Segments<UsageGroup>
          label="By"
          value={by}
          choices={GROUPS}
          onChoose={(next) => change({ by: next })}
        />
      </div>
      <Loaded query={query} label="the usage">
        {({ totals, rows, truncated }) => (
          <Section
            title={`${formatCount(totals.calls)} calls · ${costOf(totals)}`}
            about={[
              ...(totals.failed > 0 ? [`${formatCount(totals.failed)} failed`] : []),
              ...(totals.unpricedCalls > 0
                ? [`${formatCount(totals.unpricedCalls)} without a known price`]
                : []),
              ...(totals.unknownCalls > 0 ? [`${formatCount(totals.unknownCalls)} without usage`] : []),
              ...(truncated ? ['only the dearest groups are shown'] : []),
            ].join(' · ')}
          >
            <Table
              label="Usage"
              rows={rows}
              keyOf={(row) => String(row[by])}
              empty="No model was asked in this time."
              columns={[
                {
                  label: by.replace(/^./, (letter) => letter.toUpperCase()),
                  cell: (row) => (by === 'feature' ? (WORDS[row[by] ?? ''] ?? row[by]) : row[by]),
                },
                { label: 'Calls', align: 'end', cell: ({ calls }) => formatCount(calls) },
                { label: 'Input', align: 'end', cell: ({ inputTokens }) => formatCount(inputTokens) },
                {
                  label: 'Cache read',
                  align: 'end',
                  cell: ({ cacheReadTokens }) => formatCount(cacheReadTokens),
                },
                {
                  label: 'Cache write',
                  align: 'end',
                  cell: ({ cacheWriteTokens }) => formatCount(cacheWriteTokens),
                },
                { label: 'Output', align: 'end', cell: ({ outputTokens }) => formatCount(outputTokens) },
                {
                  label: 'Reasoning',
                  align: 'end',
                  cell: ({ reasoningTokens }) => formatCount(reasoningTokens),
                },
                {
                  label: 'Cost',
                  align: 'end',
                  cell: costOf,
                },
              ]}
            />
          </Section>
        )}
      </Loaded>
    </SettingsPage>
  );
}
