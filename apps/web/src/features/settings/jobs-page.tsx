import type { JobRunView, JobView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { jobsQuery, runJobNow } from '../../api/jobs.ts';
import { formatDuration } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { JobRunsDialog } from './job-runs-dialog.tsx';
import { JobOutcome } from './job-outcome.tsx';
import { Loaded, Section, SettingsPage } from './page.tsx';

/** Background jobs of the installation: when each runs, and how it went. */
export function JobsPage() {
  const query = useQuery(jobsQuery());
  return (
    <SettingsPage
      title="Jobs"
      about="What Candela does in the background. Of several replicas one runs a job at a time; another takes over when it is killed."
    >
      <Section title="Background jobs">
        <Loaded query={query} label="the jobs">
          {(jobs) => <Jobs jobs={jobs} />}
        </Loaded>
      </Section>
    </SettingsPage>
  );
}

/** `1d`, `1h`, `1h 30m`. */
const every = (ms: number): string => formatDuration(ms).replace(/ 0+[smh]$/, '');

function Jobs({ jobs }: { jobs: readonly JobView[] }) {
  const { can } = useWhoAsks();
  const [opened, setOpened] = useState<string>();
  const run = useApiMutation(runJobNow, { touches: [['jobs']] });
  const job = jobs.find(({ id }) => id === opened);
  return (
    <>
      <ErrorLine error={run.error} />
      <Table
        label="Background jobs"
        rows={jobs}
        keyOf={({ id }) => id}
        empty="There are no jobs."
        columns={[
          {
            label: 'Job',
            cell: ({ id, title, lastRun }) => (
              <div className="min-w-56 whitespace-normal">
                <div>{title}</div>
                <div className="font-mono text-xs text-muted">{id}</div>
                <LastError run={lastRun} />
              </div>
            ),
          },
          { label: 'Every', cell: ({ everyMs }) => (everyMs === null ? 'when needed' : every(everyMs)) },
          {
            label: 'Now',
            cell: ({ running }) => (running ? <Badge tone="accent">running</Badge> : <Badge>idle</Badge>),
          },
          {
            label: 'Next run',
            cell: ({ nextRunAt }) => <When time={nextRunAt} />,
          },
          {
            label: 'Last run',
            cell: ({ lastRun }) => <When time={lastRun?.startedAt ?? null} none="never" />,
          },
          { label: 'Outcome', cell: ({ lastRun }) => <JobOutcome run={lastRun} /> },
          {
            label: 'Actions',
            align: 'end',
            cell: ({ id }) => (
              <div className="flex justify-end gap-1">
                <Button className="h-6" aria-label={`Runs of ${id}`} onClick={() => setOpened(id)}>
                  Runs
                </Button>
                {can('admin') && (
                  <Button
                    className="h-6"
                    aria-label={`Run now: ${id}`}
                    busy={run.isPending && run.variables === id}
                    onClick={() => run.mutate(id)}
                  >
                    Run now
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      {job && <JobRunsDialog job={job} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** Why the last run failed; whole in the list of runs. */
function LastError({ run }: { run: JobRunView | null }) {
  if (run === null || run.error === null) return null;
  return (
    <p className="line-clamp-3 max-w-md text-xs wrap-anywhere text-danger" title={run.error}>
      {run.error}
    </p>
  );
}
