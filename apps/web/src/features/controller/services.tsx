import type { ControllerInstance, ControllerService } from '@candela/contract';
import { useState } from 'react';
import { formatCount, nounOf } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Table } from '../../ui/table.tsx';
import { SwitchDialog, type Switch } from './switch-dialog.tsx';

const STATES = {
  off: { text: 'off', tone: 'plain' },
  switching_on: { text: 'switching on', tone: 'accent' },
  on: { text: 'on', tone: 'ok' },
  switching_off: { text: 'switching off', tone: 'accent' },
  failed: { text: 'failed', tone: 'danger' },
} as const;

const weightOf = ({ wanted, vendors }: ControllerService): number =>
  (wanted?.enabled === true ? 2 : 0) + (vendors.length > 0 ? 1 : 0);

/** Programs that were found, what is possible with each, and its switches. */
export function Services(props: {
  rows: readonly ControllerService[];
  instances: readonly ControllerInstance[];
  mayChange: boolean;
}) {
  const [doing, setDoing] = useState<{ what: Switch; service: ControllerService }>();
  const names = new Map(props.instances.map(({ id, name }) => [id, name]));
  const button = (what: Switch, label: string, service: ControllerService) => (
    <Button
      className="h-6"
      aria-label={`${label} ${service.name}`}
      onClick={() => setDoing({ what, service })}
    >
      {label}
    </Button>
  );
  return (
    <section aria-label="Services">
      <h2 className="mb-1 text-base font-semibold">Services</h2>
      <Table
        label="Services"
        // Those that are known to call a vendor stand before those that only could.
        rows={props.rows.toSorted((a, b) => weightOf(b) - weightOf(a))}
        keyOf={({ id }) => id}
        empty="No program that calls a vendor of models was found yet. New ones are looked for every few seconds."
        columns={[
          {
            label: 'Service',
            cell: ({ name, workload }) => (
              <span className="block max-w-56" title={workload}>
                <MiddleTruncation name={name} />
              </span>
            ),
          },
          {
            label: 'Where',
            cell: ({ instanceId, namespace, pod, container }) => (
              <div className="max-w-44">
                <MiddleTruncation name={names.get(instanceId) ?? ''} />
                <p className="max-w-48 text-xs wrap-anywhere text-muted">
                  {[namespace, pod || container].filter((one) => one !== '').join(' / ')}
                </p>
              </div>
            ),
          },
          { label: 'Runtime', cell: ({ runtime }) => runtime },
          {
            label: 'Vendors',
            cell: ({ vendors, hosts, packages, evidence }) => (
              <div className="max-w-56 min-w-32 whitespace-normal">
                {vendors.join(', ') || '–'}
                <p className="text-xs wrap-anywhere text-muted">
                  {hosts.length > 0
                    ? hosts.join(', ')
                    : packages.length > 0
                      ? `can load ${packages.join(', ')}`
                      : evidence.includes('command') && 'by its command line'}
                </p>
              </div>
            ),
          },
          {
            label: 'Tap',
            cell: (service) => (
              <div className="min-w-48">
                <Badge tone={STATES[service.state].tone}>{STATES[service.state].text}</Badge>{' '}
                {service.content && <Badge tone="warn">keeps content</Badge>}
                <p className="max-w-sm min-w-40 text-xs whitespace-normal wrap-anywhere text-muted">
                  {service.statusDetail || service.tap.detail}
                </p>
                {service.wanted !== null && (
                  <p className="max-w-sm min-w-40 text-xs whitespace-normal wrap-anywhere text-muted">
                    {service.wanted.by}: {service.wanted.reason}
                  </p>
                )}
              </div>
            ),
          },
          {
            label: 'Calls',
            align: 'end',
            cell: ({ spans, lost }) => (
              <>
                {formatCount(spans)}
                {lost > 0 && (
                  <p className="text-xs text-warn">
                    {formatCount(lost)} {nounOf(lost, 'events')} lost
                  </p>
                )}
              </>
            ),
          },
          {
            label: 'SDK',
            cell: ({ sdk, agentStatus }) => (
              <div className="min-w-40">
                <Badge>{agentStatus}</Badge>
                <p className="max-w-xs min-w-40 text-xs whitespace-normal wrap-anywhere text-muted">
                  {sdk.detail}
                </p>
              </div>
            ),
          },
          {
            label: 'Actions',
            align: 'end',
            cell: (service) =>
              props.mayChange && (
                <span className="flex justify-end gap-1">
                  {service.wanted?.enabled === true
                    ? button('off', 'Switch off', service)
                    : service.tap.possible && button('on', 'Switch on', service)}
                  {service.sdk.possible && button('sdk', 'SDK', service)}
                </span>
              ),
          },
        ]}
      />
      {doing && (
        <SwitchDialog what={doing.what} service={doing.service} onClose={() => setDoing(undefined)} />
      )}
    </section>
  );
}
