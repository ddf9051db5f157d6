import type { FleetCollector } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectorsQuery } from '../../api/controller.ts';
import { DASH } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { CollectorDialog } from './collector-dialog.tsx';
import { VERSION_TONES } from './version-tones.ts';

const CONNECTIONS = { connected: 'ok', late: 'warn', gone: 'danger' } as const;

/** OpenTelemetry Collectors of others, as they report by OpAMP. */
export function Collectors({ mayChange }: { mayChange: boolean }) {
  const { environment } = useShell();
  const query = useQuery(collectorsQuery(environment));
  const [shown, setShown] = useState<FleetCollector>();
  const rows = query.data ?? [];
  if (rows.length === 0 && query.error === null) return null;
  return (
    <section aria-label="OpenTelemetry Collectors">
      <h2 className="mb-1 text-base font-semibold">OpenTelemetry Collectors</h2>
      <ErrorLine error={query.error} />
      <Table
        label="OpenTelemetry Collectors"
        rows={rows}
        keyOf={({ id }) => id}
        empty=""
        isPast={({ connection }) => connection === 'gone'}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          { label: 'Host', cell: ({ host }) => host || DASH },
          { label: 'Version', cell: ({ version }) => version },
          {
            label: 'Connection',
            cell: ({ connection }) => <Badge tone={CONNECTIONS[connection]}>{connection}</Badge>,
          },
          {
            label: 'Health',
            cell: ({ healthy, status, lastError }) => (
              <div className="max-w-sm min-w-40">
                {healthy === null ? (
                  DASH
                ) : (
                  <Badge tone={healthy ? 'ok' : 'danger'}>{healthy ? 'healthy' : 'unhealthy'}</Badge>
                )}
                <p className="text-xs wrap-anywhere whitespace-normal text-muted">{lastError || status}</p>
              </div>
            ),
          },
          {
            label: 'Configuration',
            cell: ({ wanted, acceptsConfig }) =>
              wanted === null ? (
                <span className="text-muted">{acceptsConfig ? 'its own' : 'its own, reports only'}</span>
              ) : (
                <>
                  version {wanted.version} <Badge tone={VERSION_TONES[wanted.state]}>{wanted.state}</Badge>
                </>
              ),
          },
          { label: 'Heard of', cell: ({ lastSeenAt }) => <When time={lastSeenAt} none="never" /> },
          {
            label: 'Actions',
            align: 'end',
            cell: (collector) => (
              <Button
                className="h-6"
                aria-label={`Configuration of ${collector.name}`}
                onClick={() => setShown(collector)}
              >
                Configuration
              </Button>
            ),
          },
        ]}
      />
      {shown && <CollectorDialog id={shown.id} mayChange={mayChange} onClose={() => setShown(undefined)} />}
    </section>
  );
}
