import type { HostSummary } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { attentionOfHost } from './attention.ts';
import { agoOf } from './host-row.tsx';
import { keptFleet } from './hosts-search.ts';
import { Marks } from './marks.tsx';

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
    ['Environment', host.environment],
    ['Measured by', host.agents.join(', ') || null],
  ];
  return (
    <header className="flex shrink-0 flex-col gap-1 border-b border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2">
        {props.gpu === undefined ? (
          <BackLink to="/hosts" search={keptFleet.last()} label="Back to the hosts" />
        ) : (
          <Link
            to="/hosts/$host"
            params={{ host: entityKey(host.name) }}
            search={{ ...props.search, tab: 'gpus' }}
            className="flex min-w-0 items-center gap-1 rounded p-1 text-muted hover:text-text"
          >
            <ArrowLeft size={15} aria-hidden />
            <span className="truncate">{host.name}</span>
          </Link>
        )}
        <h1 className="min-w-0 text-lg font-semibold break-words">{props.gpu ?? host.name}</h1>
        <CopyButton label="Copy the name" text={() => props.gpu ?? host.name} />
        <span className="flex gap-3">
          {host.stale ? (
            <Marks
              list={[
                { level: 'danger', what: 'silent', text: `Silent for ${agoOf(host.lastSeen, props.toMs)}` },
              ]}
            />
          ) : (
            (props.marks ?? <Marks list={attentionOfHost(host)} />)
          )}
        </span>
      </div>
      <Facts className="pl-7">
        {facts.map(([label, value]) =>
          value === null ? null : (
            <Fact key={label} label={label} title={value}>
              {value}
            </Fact>
          ),
        )}
      </Facts>
      {props.children}
    </header>
  );
}
