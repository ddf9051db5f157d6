import { useQuery } from '@tanstack/react-query';
import { controllerActionsQuery } from '../../api/controller.ts';
import { Badge } from '../../ui/badge.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';

const TONES = {
  pending: 'accent',
  leased: 'accent',
  running: 'accent',
  succeeded: 'ok',
  failed: 'danger',
  expired: 'warn',
  superseded: 'plain',
} as const;

/** What controllers were asked to do, by whom and why, and what became of it. */
export function History() {
  const { environment } = useShell();
  const query = useQuery(controllerActionsQuery(environment));
  return (
    <section aria-label="History">
      <h2 className="mb-1 text-base font-semibold">History</h2>
      <ErrorLine error={query.error} />
      <Table
        label="History"
        rows={query.data ?? []}
        keyOf={({ id }) => id}
        empty="Nothing was asked for yet."
        columns={[
          { label: 'When', cell: ({ createdAt }) => <When time={createdAt} none="" /> },
          {
            label: 'What',
            cell: ({ type, dryRun }) => `${type.replaceAll('_', ' ')}${dryRun ? ' (plan)' : ''}`,
          },
          {
            label: 'Workload',
            cell: ({ workload }) => <code className="font-mono text-xs">{workload}</code>,
          },
          { label: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
          { label: 'By', cell: ({ by }) => by },
          {
            label: 'Reason',
            cell: ({ reason }) => <span className="block min-w-40 whitespace-normal">{reason}</span>,
          },
          {
            label: 'Result',
            cell: ({ error, snapshot }) => (
              <div className="max-w-xl min-w-40">
                {error !== null && <p className="text-xs whitespace-normal text-danger">{error}</p>}
                {snapshot !== null && snapshot !== '' && (
                  <details>
                    <summary className="cursor-pointer text-xs">Show</summary>
                    <pre className="max-h-72 overflow-auto rounded bg-sunken p-2 text-xs">{snapshot}</pre>
                  </details>
                )}
              </div>
            ),
          },
        ]}
      />
    </section>
  );
}
