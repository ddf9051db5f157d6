import type { FindingView } from '@candela/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import {
  type FindingFilter,
  findingsQuery,
  openFindings,
  setFinding,
  trendQuery,
} from '../../api/scanners.ts';
import { saveFile } from '../../lib/save-stream.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Modal } from '../../ui/modal.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { DETECTORS } from './detectors.ts';
import type { ScannersSearch } from './scanners-search.ts';

const Trend = lazy(() => import('./trend.tsx'));
const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
const STATUSES = ['new', 'open', 'reopened', 'fixed', 'ignored'] as const;
const TONES = { critical: 'danger', high: 'danger', medium: 'warn', low: 'plain', info: 'plain' } as const;
const known = <Value extends string>(
  values: readonly Value[],
  given: string | undefined,
): Value | undefined => values.find((one) => one === given);

/** What scans found, worst first. */
export function Findings(props: {
  search: ScannersSearch;
  mayChange: boolean;
  onChange: (next: { [Key in keyof ScannersSearch]?: string | undefined }) => void;
}) {
  const { search } = props;
  const { environment } = useShell();
  const filter: FindingFilter = {
    ...(search.scanner === undefined ? {} : { scannerId: search.scanner }),
    severity: known(SEVERITIES, search.severity),
    status: known(STATUSES, search.status),
    ...(search.detector === undefined ? {} : { detector: search.detector }),
    ...(search.repository === undefined ? {} : { repository: search.repository }),
  };
  const save = useApiMutation(
    async (format: 'csv' | 'sarif') => {
      const { body } = await openFindings(environment, filter, format);
      const type = format === 'csv' ? 'text/csv' : 'application/sarif+json';
      saveFile(await new Response(body).blob(), `findings.${format}`, type);
    },
    { touches: [] },
  );
  const trend = useQuery(trendQuery(environment, filter));
  const query = useInfiniteQuery(findingsQuery(environment, filter));
  const [open, setOpen] = useState<FindingView>();
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const counts = query.data?.pages[0]?.counts ?? {};
  const choice = (label: string, key: 'severity' | 'status' | 'detector', values: readonly string[]) => (
    <SelectField
      label={label}
      className="w-36"
      value={search[key] ?? ''}
      onValue={(value) => props.onChange({ [key]: value || undefined })}
      options={[{ value: '', label: 'all' }, ...values.map((value) => ({ value, label: value }))]}
    />
  );
  return (
    <section aria-label="Findings" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <h2 className="text-lg font-semibold max-sm:w-full">Findings</h2>
        {choice('Severity', 'severity', SEVERITIES)}
        {choice('Status', 'status', STATUSES)}
        {choice('Detector', 'detector', DETECTORS)}
        {search.repository !== undefined && (
          <Button onClick={() => props.onChange({ repository: undefined })}>
            {search.repository.replace('https://', '')} ×
          </Button>
        )}
        <Button busy={save.isPending} onClick={() => save.mutate('csv')}>
          Export as CSV
        </Button>
        <Button busy={save.isPending} onClick={() => save.mutate('sarif')}>
          Export as SARIF
        </Button>
        <ErrorLine error={save.error} />
        <p className="ml-auto text-sm text-muted">
          {SEVERITIES.flatMap((one) => (counts[one] === undefined ? [] : [`${counts[one]} ${one}`])).join(
            ' · ',
          ) || 'none open'}
        </p>
      </div>
      {trend.data?.some(({ found, open }) => found + open > 0) === true && (
        <Suspense fallback={<SkeletonRows rows={3} label="Loading the trend" />}>
          <Trend days={trend.data} />
        </Suspense>
      )}
      {query.isPending ? (
        <SkeletonRows rows={5} label="Loading the findings" />
      ) : query.isLoadingError ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <Notice title="No findings">
          Nothing was found, or nothing was scanned yet. What a scan did not read stands in its job.
        </Notice>
      ) : (
        <>
          <Table
            label="Findings"
            walked
            rows={rows}
            keyOf={(finding) => `${finding.scannerId} ${finding.fingerprint}`}
            empty=""
            columns={[
              { label: 'Severity', cell: ({ severity }) => <Badge tone={TONES[severity]}>{severity}</Badge> },
              {
                label: 'Finding',
                leads: true,
                cell: (finding) => (
                  <button
                    type="button"
                    className="block max-w-xl min-w-48 text-left whitespace-normal hover:underline"
                    onClick={() => setOpen(finding)}
                  >
                    {finding.title}
                    <span className="block font-mono text-xs wrap-anywhere text-muted">
                      {finding.path}
                      {finding.line !== null && `:${finding.line}`}
                    </span>
                  </button>
                ),
              },
              { label: 'Detector', cell: ({ detector }) => detector },
              { label: 'Status', cell: ({ status }) => <Badge>{status}</Badge> },
              { label: 'First seen', cell: ({ firstSeen }) => <When time={firstSeen} /> },
              { label: 'Last seen', cell: ({ lastSeen }) => <When time={lastSeen} /> },
            ]}
          />
          <MoreRows query={query} />
        </>
      )}
      {open && (
        <FindingDialog finding={open} mayChange={props.mayChange} onClose={() => setOpen(undefined)} />
      )}
    </section>
  );
}

function FindingDialog({
  finding,
  mayChange,
  onClose,
}: {
  finding: FindingView;
  mayChange: boolean;
  onClose: () => void;
}) {
  const { environment } = useShell();
  const [ignoring, setIgnoring] = useState(false);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const change = useApiMutation(
    (body: Parameters<typeof setFinding>[2]) => setFinding(environment, finding.fingerprint, body),
    {
      touches: [['scanner-findings'], ['scanners']],
      onDone: onClose,
    },
  );
  if (ignoring) {
    return (
      <FormDialog
        title="Ignore the finding"
        action="Ignore"
        busy={change.isPending}
        error={change.error}
        ready={reason.trim() !== ''}
        onSubmit={() =>
          change.mutate({
            status: 'ignored',
            reason,
            until: until === '' ? null : `${until}T00:00:00Z`,
            scannerId: finding.scannerId,
          })
        }
        onClose={onClose}
      >
        <TextArea
          label="Reason"
          value={reason}
          onValue={setReason}
          hint="It stays ignored in later scans; the reason stands beside it."
          maxLength={500}
        />
        <TextField
          label="Until"
          type="date"
          value={until}
          onValue={setUntil}
          hint="Empty: for good. From then on it is open again."
        />
      </FormDialog>
    );
  }
  return (
    <Modal label={finding.title} onClose={onClose} className="w-[min(720px,94vw)]">
      <div className="flex flex-col gap-3 p-4">
        <h2 className="text-lg font-semibold wrap-anywhere">{finding.title}</h2>
        <p className="font-mono text-xs wrap-anywhere text-muted">
          {finding.path}
          {finding.line !== null && `:${finding.line}`} · {finding.ruleId}
        </p>
        {finding.snippet !== '' && (
          <pre className="overflow-x-auto rounded-md border border-line bg-bg p-2 text-xs">
            {finding.snippet}
          </pre>
        )}
        <p>{finding.explanation}</p>
        <p>
          <strong>What to do: </strong>
          {finding.fix}
        </p>
        {finding.reason !== null && (
          <p className="text-muted">
            Ignored{finding.ignoredUntil !== null && ` until ${finding.ignoredUntil.slice(0, 10)}`}:{' '}
            {finding.reason}
          </p>
        )}
        <a
          className="text-accent hover:underline"
          href={`/coding-agents?repository=${encodeURIComponent(finding.target.replace(/\.git$/, ''))}`}
        >
          Coding sessions in this repository
        </a>
      </div>
      <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">
        {mayChange && finding.status === 'ignored' && (
          <Button
            busy={change.isPending}
            onClick={() => change.mutate({ status: 'open', scannerId: finding.scannerId })}
          >
            Open again
          </Button>
        )}
        {mayChange && finding.status !== 'ignored' && finding.status !== 'fixed' && (
          <Button onClick={() => setIgnoring(true)}>Ignore …</Button>
        )}
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </footer>
    </Modal>
  );
}
