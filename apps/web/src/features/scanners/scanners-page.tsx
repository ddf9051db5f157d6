import type { ScannerView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { cancelScan, deleteScanner, isScanning, scannersQuery, startScan } from '../../api/scanners.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { Findings } from './findings.tsx';
import { Jobs, JobStatus } from './jobs.tsx';
import { ScannerDialog } from './scanner-dialog.tsx';
import type { ScannersSearch } from './scanners-search.ts';

const route = getRouteApi('/scanners');
const TOUCHED = [['scanners'], ['scanner-findings']];

/** Repositories that are scanned, and what was found in them. */
export function ScannersPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(scannersQuery(environment));
  const [making, setMaking] = useState(false);
  const mayChange = can('member');
  const chosen = query.data?.find(({ id }) => id === search.scanner);
  const change = (next: { [Key in keyof ScannersSearch]?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const add = mayChange && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New scanner
    </Button>
  );
  return (
    <div className={PAGE_COLUMN}>
      <title>Scanners · Candela</title>
      <h1 className="sr-only">Scanners</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <p className="mr-auto text-sm text-muted">
          Repositories are read as data: nothing of them is run, and nothing leaves this installation.
        </p>
        {add}
      </div>
      <div className="min-h-0 grow overflow-auto p-3">
        {query.isPending ? (
          <SkeletonRows rows={4} label="Loading the scanners" />
        ) : query.isLoadingError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data === undefined || query.data.length === 0 ? (
          <Notice title="Scan the first repository">
            Secrets, misused agent SDKs, MCP configuration, model files, retired models, vulnerable packages.
            On your own machine: npm run candela -- scan &lt;folder&gt;.
          </Notice>
        ) : (
          <div className="flex flex-col gap-4">
            <Scanners
              rows={query.data}
              chosen={search.scanner}
              mayChange={mayChange}
              onChoose={(id) => change({ scanner: id === search.scanner ? undefined : id })}
            />
            {chosen && <Jobs key={chosen.id} scanner={chosen} />}
            <Findings search={search} mayChange={mayChange} onChange={change} />
          </div>
        )}
      </div>
      {making && <ScannerDialog scanner={undefined} onClose={() => setMaking(false)} />}
    </div>
  );
}

function Scanners(props: {
  rows: readonly ScannerView[];
  chosen: string | undefined;
  mayChange: boolean;
  onChoose: (id: string) => void;
}) {
  const { environment } = useShell();
  const [leaving, setLeaving] = useState<ScannerView>();
  const [editing, setEditing] = useState<ScannerView>();
  const start = useApiMutation((id: string) => startScan(environment, id), { touches: TOUCHED });
  const cancel = useApiMutation((jobId: string) => cancelScan(environment, jobId), { touches: TOUCHED });
  const remove = useApiMutation((id: string) => deleteScanner(environment, id), {
    touches: TOUCHED,
    onDone: () => setLeaving(undefined),
  });
  return (
    <section aria-label="Scanners">
      <ErrorLine error={start.error ?? cancel.error} />
      <Table
        label="Scanners"
        rows={props.rows}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          {
            label: 'Name',
            cell: ({ id, name }) => (
              <button
                type="button"
                aria-pressed={id === props.chosen}
                onClick={() => props.onChoose(id)}
                className="flex min-h-6 max-w-72 items-center hover:underline aria-pressed:text-accent"
              >
                <MiddleTruncation name={name} />
              </button>
            ),
          },
          {
            label: 'Repository',
            cell: ({ target }) => <MiddleTruncation name={target.replace('https://', '')} />,
          },
          {
            label: 'Every',
            cell: ({ scheduleHours }) => (scheduleHours === null ? 'when asked' : `${scheduleHours} h`),
          },
          { label: 'Last scan', cell: ({ lastJob }) => <JobState job={lastJob} /> },
          {
            label: 'When',
            cell: ({ lastJob }) => (
              <When time={lastJob?.finishedAt ?? lastJob?.startedAt ?? null} none="never" />
            ),
          },
          { label: 'Open findings', align: 'end', cell: ({ openFindings }) => formatCount(openFindings) },
          {
            label: 'Actions',
            align: 'end',
            cell: (scanner) =>
              props.mayChange && (
                <span className="flex justify-end gap-1">
                  {isScanning(scanner) ? (
                    <Button
                      className="h-6"
                      aria-label={`Cancel the scan of ${scanner.name}`}
                      onClick={() => scanner.lastJob !== null && cancel.mutate(scanner.lastJob.id)}
                    >
                      Cancel
                    </Button>
                  ) : (
                    <Button
                      className="h-6"
                      aria-label={`Scan ${scanner.name}`}
                      busy={start.isPending && start.variables === scanner.id}
                      onClick={() => start.mutate(scanner.id)}
                    >
                      Scan
                    </Button>
                  )}
                  <Button
                    className="h-6"
                    aria-label={`Edit ${scanner.name}`}
                    onClick={() => setEditing(scanner)}
                  >
                    Edit
                  </Button>
                  <Button
                    className="h-6"
                    aria-label={`Delete ${scanner.name}`}
                    onClick={() => setLeaving(scanner)}
                  >
                    Delete
                  </Button>
                </span>
              ),
          },
        ]}
      />
      {editing && <ScannerDialog scanner={editing} onClose={() => setEditing(undefined)} />}
      {leaving && (
        <ConfirmDialog
          title={`Delete ${leaving.name}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          Its jobs and findings go with it.
        </ConfirmDialog>
      )}
    </section>
  );
}

function JobState({ job }: { job: ScannerView['lastJob'] }) {
  if (job === null) return 'none';
  return (
    <div className="min-w-40">
      <JobStatus status={job.status} />
      {job.error !== null && (
        <p className="max-w-md text-xs whitespace-normal wrap-anywhere text-danger">{job.error}</p>
      )}
      {job.status === 'succeeded' && (
        <p className="text-xs text-muted">
          {job.vulnerabilityData === 'none'
            ? 'no vulnerability data'
            : `vulnerability data: ${job.vulnerabilityData}`}
        </p>
      )}
    </div>
  );
}
