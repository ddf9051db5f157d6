import type { FleetCollectorDetail } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectorQuery, pushCollectorConfig, rollbackCollectorConfig } from '../../api/controller.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { VERSION_TONES } from './version-tones.ts';

const TOUCHES = [['collectors'], ['collector']];

/** Health, effective configuration and versions of one collector; a person pushes a version with a reason. */
export function CollectorDialog(props: { id: string; mayChange: boolean; onClose: () => void }) {
  const { environment } = useShell();
  const query = useQuery(collectorQuery(environment, props.id));
  const [text, setText] = useState<string>();
  const [reason, setReason] = useState('');
  const { data } = query;
  const push = useApiMutation(
    () =>
      pushCollectorConfig(environment, props.id, {
        config: text ?? '',
        ifHash: data?.wanted?.hash ?? null,
        reason,
      }),
    { touches: TOUCHES, onDone: () => setText(undefined) },
  );
  const back = useApiMutation(
    (version: number) => rollbackCollectorConfig(environment, props.id, { version, reason }),
    { touches: TOUCHES },
  );
  const mayPush = props.mayChange && data?.acceptsConfig === true;
  const hasReason = reason.trim().length >= 3;
  return (
    <FormDialog
      title={data === undefined ? 'Collector' : `Configuration of ${data.name}`}
      action="Push"
      busy={push.isPending || back.isPending}
      error={push.error ?? back.error}
      ready={mayPush && text !== undefined && hasReason}
      wide
      onSubmit={() => push.mutate(undefined)}
      onClose={props.onClose}
    >
      {query.isPending ? (
        <SkeletonRows rows={4} label="Loading the collector" />
      ) : data === undefined ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <Parts data={data} />
          {text === undefined ? (
            data.effective.map((file) => (
              <pre
                key={file.name}
                aria-label="Effective configuration"
                tabIndex={0}
                className="max-h-72 shrink-0 overflow-auto rounded bg-sunken p-2 text-xs"
              >
                {file.text}
              </pre>
            ))
          ) : (
            <TextArea
              label="Configuration"
              rows={16}
              value={text}
              onValue={setText}
              hint="Masked values are those of the last pushed version. Where it cannot be applied the last one that worked comes back."
            />
          )}
          {!data.acceptsConfig && (
            <p className="text-sm text-muted">
              It only reports. Under the OpAMP supervisor a configuration can be pushed to it.
            </p>
          )}
          {mayPush && (
            <>
              {text === undefined && (
                <Button className="self-start" onClick={() => setText(data.effective[0]?.text ?? '')}>
                  Edit
                </Button>
              )}
              <TextField
                label="Reason"
                value={reason}
                onValue={setReason}
                maxLength={500}
                hint="Stands in the audit log."
              />
            </>
          )}
          <Versions
            rows={data.versions}
            onBack={mayPush ? (version) => back.mutate(version) : undefined}
            disabled={!hasReason || back.isPending}
          />
        </>
      )}
    </FormDialog>
  );
}

function Parts({ data }: { data: FleetCollectorDetail }) {
  const ill = data.parts.filter(({ healthy }) => !healthy);
  return (
    <p className="text-sm">
      {data.parts.length === 0
        ? 'It does not report the health of its parts.'
        : ill.length === 0
          ? `All parts are healthy (${data.parts.length}).`
          : ill.map(({ name, error, status }) => `${name}: ${error || status || 'unhealthy'}`).join('; ')}
    </p>
  );
}

function Versions(props: {
  rows: FleetCollectorDetail['versions'];
  onBack: ((version: number) => void) | undefined;
  disabled: boolean;
}) {
  const { onBack } = props;
  if (props.rows.length === 0) return null;
  return (
    <Table
      label="Versions"
      rows={props.rows}
      keyOf={({ version }) => String(version)}
      empty=""
      columns={[
        {
          label: 'Version',
          cell: ({ version, rollbackOf }) => `${version}${rollbackOf === null ? '' : ` (as ${rollbackOf})`}`,
        },
        { label: 'State', cell: ({ state }) => <Badge tone={VERSION_TONES[state]}>{state}</Badge> },
        { label: 'Hash', cell: ({ hash }) => <code className="font-mono text-xs">{hash.slice(0, 12)}</code> },
        { label: 'By', cell: ({ by }) => by },
        {
          label: 'Why',
          cell: ({ reason, error }) => (
            <span className="block max-w-xs min-w-40 text-xs wrap-anywhere whitespace-normal">
              {error ?? reason}
            </span>
          ),
        },
        { label: 'When', cell: ({ createdAt }) => <When time={createdAt} none="" /> },
        {
          label: 'Actions',
          align: 'end',
          cell: ({ version }) =>
            onBack !== undefined &&
            version !== props.rows[0]?.version && (
              <Button
                className="h-6"
                disabled={props.disabled}
                aria-label={`Go back to version ${version}`}
                title={props.disabled ? 'Say why first' : undefined}
                onClick={() => onBack(version)}
              >
                Go back to it
              </Button>
            ),
        },
      ]}
    />
  );
}
