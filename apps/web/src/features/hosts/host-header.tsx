import type { HostSummary } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, Layers } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatDuration } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { BackLink } from '../../ui/page-head.tsx';
import { AsOf } from './as-of.tsx';
import { attentionOfHost, machineCount } from './attention.ts';
import { agoOf } from './host-row.tsx';
import { persistedFleet } from './hosts-search.ts';
import { Marks } from './marks.tsx';

/** How many ids of machines are listed. */
const MOST_MACHINES = 8;

type Identity = Omit<HostSummary, 'gpus'>;

/** Name and identity of a host; on a GPU's page also the GPU. */
export function HostHeader(props: {
  host: Identity;
  toMs: number;
  search: { in?: string };
  /** The GPU below it. */
  gpu?: string;
  marks?: ReactNode;
  children?: ReactNode;
}) {
  const { host } = props;
  const facts: [string, string | null][] = [
    ['Type', host.type],
    ['Cloud', host.cloudProvider === null ? null : (host.cloudPlatform ?? host.cloudProvider)],
    ['Zone', host.cloudZone ?? host.cloudRegion],
    ['Account', host.cloudAccount],
    ['Cluster', host.cluster],
    ['Node', host.node === host.name ? null : host.node],
    ['System', host.os === null ? host.arch : `${host.os}${host.arch === null ? '' : ` (${host.arch})`}`],
    ['Up for', host.uptimeSeconds === null ? null : formatDuration(host.uptimeSeconds * 1_000)],
    ['Environment', host.environment],
    ['Measured by', host.agents.join(', ') || null],
  ];
  return (
    <header className="flex shrink-0 flex-col gap-1 border-b border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2">
        {props.gpu === undefined ? (
          <BackLink to="/hosts" search={persistedFleet.last()} label="Back to the hosts" />
        ) : (
          <Link
            to="/hosts/$host"
            params={{ host: entityKey(host.name) }}
            search={{ ...props.search, tab: 'gpus' }}
            className="flex min-w-0 items-center gap-1 rounded p-1 text-muted hover:text-text"
          >
            <ArrowLeft size={15} aria-hidden />
            <MiddleTruncation name={host.name} />
          </Link>
        )}
        <h1 className="min-w-0 text-lg font-semibold break-words">{props.gpu ?? host.name}</h1>
        <CopyButton label="Copy the name" text={() => props.gpu ?? host.name} />
        <span className="flex gap-3">
          {host.stale ? (
            <Marks
              list={[
                {
                  level: 'danger',
                  what: 'silent',
                  text: `Not reporting for ${agoOf(host.lastSeen, props.toMs)}`,
                },
              ]}
            />
          ) : (
            (props.marks ?? (
              // That there are several machines stands below in whole sentences.
              <Marks list={attentionOfHost(host).filter(({ what }) => what !== 'several')} />
            ))
          )}
        </span>
      </div>
      {host.machines.length > 0 && (
        <p className="flex items-start gap-1.5 pl-7 text-sm text-warn">
          <Layers size={13} aria-hidden className="mt-1 shrink-0" />
          <span className="min-w-0 break-words">
            {machineCount(host)} machines report under this name, and these are figures of all of them. Give
            each a <code className="font-mono">host.name</code> of its own. Their{' '}
            <code className="font-mono">host.id</code>: {host.machines.slice(0, MOST_MACHINES).join(', ')}
            {host.machines.length > MOST_MACHINES && ` and ${host.machines.length - MOST_MACHINES} more`}.
          </span>
        </p>
      )}
      <Facts className="pl-7">
        {facts.map(([label, value]) =>
          value === null ? null : (
            <Fact key={label} label={label} title={value}>
              {value}
            </Fact>
          ),
        )}
      </Facts>
      {host.last !== null && props.gpu === undefined && (
        <p className="flex flex-wrap gap-x-3 pl-7 text-sm text-muted" data-testid="last-figures">
          <AsOf iso={host.last.asOf} />
          <span>CPU {formatValue(host.last.cpuUtilization, '1')}</span>
          <span>
            memory {formatValue(host.last.memoryUsedBytes, 'By')} of{' '}
            {formatValue(host.last.memoryTotalBytes, 'By')}
          </span>
          {host.last.filesystem !== null && (
            <span>
              {host.last.filesystem.mountpoint} {formatValue(host.last.filesystem.utilization, '1')} full
            </span>
          )}
        </p>
      )}
      {props.children}
    </header>
  );
}
