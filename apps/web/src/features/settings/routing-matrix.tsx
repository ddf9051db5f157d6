import type { Connector, RoutedSignal, SignalRouting } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeRouting, type RoutingChange, routingQuery } from '../../api/connectors.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Table } from '../../ui/table.tsx';
import { useProject } from '../session/use-project.ts';
import { Loaded, Section } from './page.tsx';
import { changesOf, chosenOf, type Choice, placeKey } from './routing-choices.ts';

const SIGNALS: readonly { readonly signal: RoutedSignal; readonly label: string }[] = [
  { signal: 'traces', label: 'Traces' },
  { signal: 'metrics', label: 'Metrics' },
  { signal: 'logs', label: 'Logs' },
  { signal: 'platform', label: 'Prompts, secrets, rules' },
];

/** Which signal of which environment of the project in the header is kept where. */
export function RoutingMatrix({ connectors }: { connectors: readonly Connector[] }) {
  const project = useProject();
  const query = useQuery(routingQuery());
  const usable = connectors.filter(
    (connector) => connector.projectId === null || connector.projectId === project?.id,
  );
  return (
    <Section
      title={project === undefined ? 'Routing' : `Routing of ${project.name}`}
      about="An environment without a choice of its own follows the first row. What was stored before a change stays where it is, and is read there no more."
    >
      <Loaded query={query} label="the routing">
        {(routing) => <Matrix key={JSON.stringify(routing)} routing={routing} connectors={usable} />}
      </Loaded>
    </Section>
  );
}

function Matrix({ routing, connectors }: { routing: SignalRouting; connectors: readonly Connector[] }) {
  const [edits, setEdits] = useState<ReadonlyMap<string, Choice>>(new Map());
  const save = useApiMutation((changes: readonly RoutingChange[]) => changeRouting(changes), {
    touches: [['routing'], ['connectors']],
  });
  const changes = changesOf(routing, edits);
  const nameOf = (id: string | null) =>
    id === null ? 'nowhere' : (connectors.find((connector) => connector.id === id)?.name ?? id);
  const rows: readonly (string | null)[] = [null, ...routing.environments];
  const cell = (environment: string | null, signal: RoutedSignal) => {
    const place = placeKey(environment, signal);
    const value = edits.get(place) ?? chosenOf(routing, environment, signal);
    // What a place without a choice follows: the row of the project, and that the installation.
    const above =
      environment === null
        ? nameOf(routing.defaults[signal])
        : followed(
            edits.get(placeKey(null, signal)) ?? chosenOf(routing, null, signal),
            routing,
            signal,
            nameOf,
          );
    return (
      <select
        aria-label={`${signal} of ${environment ?? 'every environment'}`}
        value={value}
        onChange={(event) => setEdits(new Map(edits).set(place, event.target.value))}
        className="h-7 w-full min-w-36 rounded border border-line bg-bg px-1"
      >
        <option value="inherit">
          {environment === null ? 'default' : 'as above'}: {above}
        </option>
        {connectors.map((connector) => (
          <option key={connector.id} value={`to ${connector.id}`}>
            {connector.name}
          </option>
        ))}
        {environment === null && <option value="nowhere">nowhere: refused</option>}
      </select>
    );
  };
  return (
    <>
      <Table
        label="Routing"
        rows={rows}
        keyOf={(environment) => environment ?? ''}
        empty=""
        columns={[
          {
            label: 'Environment',
            cell: (environment) => environment ?? <strong className="font-medium">Every environment</strong>,
          },
          ...SIGNALS.map(({ signal, label }) => ({
            label,
            cell: (environment: string | null) => cell(environment, signal),
          })),
        ]}
      />
      <ErrorLine error={save.error} />
      <div className="flex items-center gap-2">
        <Button
          look="primary"
          disabled={changes.length === 0 || save.isPending}
          onClick={() => save.mutate(changes)}
        >
          Save the routing
        </Button>
        <Button disabled={changes.length === 0} onClick={() => setEdits(new Map())}>
          Undo
        </Button>
        {changes.length > 0 && (
          <span role="status" className="text-sm text-muted">
            {changes.length} changed, not saved yet
          </span>
        )}
      </div>
    </>
  );
}

function followed(
  choice: Choice,
  routing: SignalRouting,
  signal: RoutedSignal,
  nameOf: (id: string | null) => string,
): string {
  if (choice === 'inherit') return nameOf(routing.defaults[signal]);
  return choice === 'nowhere' ? 'nowhere' : nameOf(choice.slice('to '.length));
}
