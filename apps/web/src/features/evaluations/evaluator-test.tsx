import type { EvaluationResult } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { testEvaluator } from '../../api/evaluations.ts';
import { DASH } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { TextField } from '../../ui/field.tsx';
import { Table } from '../../ui/table.tsx';
import { useShell } from '../shell/shell-search.ts';
import { scoreText, Verdict } from './score-list.tsx';

type Body = Parameters<typeof testEvaluator>[2];

/** Tries what the form says, saved or not, on the newest spans that match. Nothing is stored. */
export function EvaluatorTest(props: { id: string; draft: NonNullable<Body['draft']>; ready: boolean }) {
  const { environment } = useShell();
  const [q, setQ] = useState('operation:chat');
  const [limit, setLimit] = useState('5');
  const test = useApiMutation(
    () => testEvaluator(environment, props.id || 'draft', { q, limit: Number(limit), draft: props.draft }),
    { touches: [] },
  );
  const rows: readonly EvaluationResult[] = test.data ?? [];
  const count = Number(limit);
  return (
    <section aria-label="Test" className="flex flex-col gap-2 border-t border-line pt-3">
      <h3 className="text-sm font-medium">Test before saving</h3>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label="On the newest spans that match"
          className="min-w-40 grow"
          value={q}
          onValue={setQ}
        />
        <TextField label="How many" className="w-20" value={limit} onValue={setLimit} inputMode="numeric" />
        <Button
          busy={test.isPending}
          disabled={!props.ready || !(count >= 1 && count <= 20)}
          onClick={() => test.mutate(undefined)}
        >
          Test
        </Button>
      </div>
      <ErrorLine error={test.error} />
      {test.isSuccess && (
        <Table
          label="Results of the test"
          rows={rows}
          keyOf={({ spanId }) => spanId ?? ''}
          empty="No span of the last 7 days matches."
          columns={[
            {
              label: 'Span',
              cell: ({ traceId, spanId }) => (
                <Link
                  to="/traces/$traceId"
                  params={{ traceId: traceId ?? '' }}
                  search={spanId === null ? {} : { span: spanId }}
                  target="_blank"
                  className="font-mono text-accent hover:underline"
                >
                  {spanId?.slice(0, 8)}
                </Link>
              ),
            },
            {
              label: 'Verdict',
              cell: ({ state, verdict }) => (state === 'scored' ? <Verdict verdict={verdict} /> : state),
            },
            { label: 'Score', align: 'end', cell: ({ value }) => scoreText(value) },
            {
              label: 'Reason',
              cell: ({ explanation }) => (
                <span className="line-clamp-3 whitespace-normal wrap-anywhere">{explanation || DASH}</span>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}
