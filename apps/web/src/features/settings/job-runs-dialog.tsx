import type { JobRunView, JobView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { jobRunsQuery } from '../../api/jobs.ts';
import { DASH, formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { JobOutcome } from './job-outcome.tsx';
import { Loaded } from './page.tsx';

/** The newest runs of a job: what started each, how it ended, what it counted. */
export function JobRunsDialog({ job, onClose }: { job: JobView; onClose: () => void }) {
  const query = useQuery(jobRunsQuery(job.id));
  return (
    <Modal label={`Runs of ${job.id}`} onClose={onClose} className="w-[min(860px,94vw)]">
      <h2 className="border-b border-line px-4 py-2.5 text-lg font-semibold">{job.title}</h2>
      <div className="max-h-[70vh] overflow-y-auto p-4">
        <Loaded query={query} label="the runs">
          {(runs) => (
            <Table
              label="Runs"
              rows={runs}
              keyOf={({ id }) => id}
              empty="It has not run yet."
              columns={[
                { label: 'Started', cell: ({ startedAt }) => <When time={startedAt} /> },
                { label: 'By', cell: ({ trigger }) => trigger },
                { label: 'Outcome', cell: (run) => <JobOutcome run={run} /> },
                { label: 'Result', cell: (run) => <Result run={run} /> },
                {
                  label: 'Ran in',
                  cell: ({ owner }) => <span className="font-mono text-xs text-muted">{owner}</span>,
                },
              ]}
            />
          )}
        </Loaded>
      </div>
      <footer className="flex justify-end border-t border-line px-4 py-2.5">
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Modal>
  );
}

/** The error of a run, else what it counted. */
function Result({ run }: { run: JobRunView }) {
  if (run.error !== null)
    return <p className="min-w-56 whitespace-pre-wrap wrap-anywhere text-danger">{run.error}</p>;
  const counts = Object.entries(run.stats ?? {});
  if (counts.length === 0) return <span className="text-muted">{DASH}</span>;
  return counts.map(([name, value]) => `${name} ${formatCount(value)}`).join(', ');
}
