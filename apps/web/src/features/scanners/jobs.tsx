import type { ScannerJobView, ScannerView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { jobBom, jobSarif, jobsQuery } from '../../api/scanners.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-stream.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';

const TONES = {
  queued: 'plain',
  running: 'accent',
  succeeded: 'ok',
  failed: 'danger',
  cancelled: 'plain',
  timed_out: 'warn',
} as const;

/** How a job stands. */
export function JobStatus({ status }: { status: ScannerJobView['status'] }) {
  return <Badge tone={TONES[status]}>{status.replace('_', ' ')}</Badge>;
}

const durationOf = ({ startedAt, finishedAt }: ScannerJobView): string =>
  startedAt === null || finishedAt === null
    ? '–'
    : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
/** Whether it came to an end with findings, or without. */
const isCounted = ({ coverage, status }: ScannerJobView): boolean =>
  coverage !== null || status === 'succeeded';
const readOf = ({ coverage }: ScannerJobView): string =>
  coverage === null ? '–' : `${formatCount(coverage.filesRead)} of ${formatCount(coverage.filesSeen)}`;

/** Scans of one repository, newest first, each with what it read and what it did not. */
export function Jobs({ scanner }: { scanner: ScannerView }) {
  const { environment } = useShell();
  const query = useQuery(jobsQuery(environment, scanner));
  const [open, setOpen] = useState<ScannerJobView>();
  return (
    <section aria-label={`Jobs of ${scanner.name}`} className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">Jobs of {scanner.name}</h2>
      {query.isPending ? (
        <SkeletonRows rows={3} label="Loading the jobs" />
      ) : query.isLoadingError ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <div className="max-h-72 overflow-y-auto">
          <Table
            label="Jobs"
            rows={query.data ?? []}
            keyOf={({ id }) => id}
            empty="It was not scanned yet."
            columns={[
              {
                label: 'Started',
                cell: (job) => (
                  <button
                    type="button"
                    className="min-h-6 hover:underline"
                    onClick={() => setOpen(job)}
                    aria-label={`Job of ${job.startedAt ?? 'later'}`}
                  >
                    <When time={job.startedAt} none="waiting" />
                  </button>
                ),
              },
              { label: 'Status', cell: ({ status }) => <JobStatus status={status} /> },
              { label: 'Duration', align: 'end', cell: durationOf },
              { label: 'Ref', cell: ({ ref }) => ref || 'default' },
              {
                label: 'Findings',
                align: 'end',
                cell: (job) => (isCounted(job) ? formatCount(job.findingCount) : '–'),
              },
              {
                label: 'Medium or worse',
                align: 'end',
                cell: (job) => (isCounted(job) ? formatCount(job.mediumPlusCount) : '–'),
              },
              { label: 'Files read', align: 'end', cell: readOf },
              {
                label: 'Vulnerability data',
                cell: ({ vulnerabilityData, coverage }) => (coverage === null ? '–' : vulnerabilityData),
              },
            ]}
          />
        </div>
      )}
      {open && <JobDialog job={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function JobDialog({ job, onClose }: { job: ScannerJobView; onClose: () => void }) {
  const { environment } = useShell();
  const save = useApiMutation(
    async (format: 'sarif' | 'bom') => {
      const content = await (format === 'sarif' ? jobSarif : jobBom)(environment, job.id);
      const name = format === 'sarif' ? 'scan.sarif' : 'packages.cdx.json';
      saveFile(new Blob([JSON.stringify(content, undefined, 2)]), name, 'application/json');
    },
    { touches: [] },
  );
  const { coverage } = job;
  const skipped = Object.entries(coverage?.skipped ?? {});
  const facts: readonly (readonly [label: string, value: string])[] = [
    ['Repository', job.target],
    ['Ref', job.ref || 'default'],
    ['Duration', durationOf(job)],
    ['Files read', readOf(job)],
    ['Sandbox', job.sandbox ?? '–'],
    ['Vulnerability data', coverage === null ? '–' : job.vulnerabilityData],
  ];
  return (
    <Modal label="Job" onClose={onClose} className="w-[min(640px,94vw)]">
      <div className="flex max-h-[70vh] flex-col gap-3 overflow-y-auto p-4">
        <h2 className="flex flex-wrap items-center gap-2 text-lg font-semibold">
          <When time={job.startedAt} none="Waiting" /> <JobStatus status={job.status} />
        </h2>
        {job.error !== null && <p className="wrap-anywhere text-danger">{job.error}</p>}
        <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-sm">
          {facts.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
        {coverage === null && isCounted(job) && <p className="text-sm">Taken over from a report.</p>}
        {coverage !== null && (
          <>
            <h3 className="font-medium">Not read</h3>
            {skipped.length === 0 ? (
              <p className="text-sm text-muted">Every file was read.</p>
            ) : (
              <ul className="list-disc pl-5 text-sm">
                {skipped.map(([why, count]) => (
                  <li key={why} className="wrap-anywhere">
                    {formatCount(count)}: {why}
                  </li>
                ))}
              </ul>
            )}
            {coverage.notes.length > 0 && (
              <>
                <h3 className="font-medium">Notes</h3>
                <ul className="list-disc pl-5 text-sm">
                  {coverage.notes.map((note) => (
                    <li key={note} className="wrap-anywhere">
                      {note}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2.5">
        <ErrorLine error={save.error} className="mr-auto" />
        {isCounted(job) && (
          <>
            <Button busy={save.isPending} onClick={() => save.mutate('sarif')}>
              SARIF
            </Button>
            <Button busy={save.isPending} onClick={() => save.mutate('bom')}>
              Packages (CycloneDX)
            </Button>
          </>
        )}
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </footer>
    </Modal>
  );
}
