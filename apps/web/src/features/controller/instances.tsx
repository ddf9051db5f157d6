import type { ControllerInstance } from '@candela/contract';
import { useState } from 'react';
import { revokeController } from '../../api/controller.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';

const TONES = { active: 'ok', degraded: 'warn', inactive: 'danger', revoked: 'plain' } as const;

/** Machines with a controller, and how they are. */
export function Instances(props: { rows: readonly ControllerInstance[]; mayChange: boolean }) {
  const { environment } = useShell();
  const [leaving, setLeaving] = useState<ControllerInstance>();
  const revoke = useApiMutation((id: string) => revokeController(environment, id), {
    touches: [['controllers'], ['controller-services']],
    onDone: () => setLeaving(undefined),
  });
  return (
    <section aria-label="Instances">
      <h2 className="mb-1 text-base font-semibold">Instances</h2>
      <Table
        label="Instances"
        rows={props.rows}
        keyOf={({ id }) => id}
        empty=""
        isPast={({ health }) => health === 'revoked'}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          { label: 'Cluster', cell: ({ cluster }) => cluster },
          { label: 'Kind', cell: ({ mode }) => mode },
          { label: 'State', cell: ({ health }) => <Badge tone={TONES[health]}>{health}</Badge> },
          { label: 'Heard of', cell: ({ lastSeenAt }) => <When time={lastSeenAt} none="never" /> },
          {
            label: 'Services',
            align: 'end',
            cell: ({ services, instrumented }) => `${formatCount(instrumented)} of ${formatCount(services)}`,
          },
          {
            label: 'Tap',
            cell: ({ tap, truncated }) => (
              <span className="block max-w-md min-w-40 text-xs whitespace-normal wrap-anywhere text-muted">
                {tap}
                {truncated.length > 0 && ` Truncated: ${truncated.join('; ')}.`}
              </span>
            ),
          },
          {
            label: 'Actions',
            align: 'end',
            cell: (instance) =>
              props.mayChange &&
              instance.health !== 'revoked' && (
                <Button
                  className="h-6"
                  aria-label={`Revoke ${instance.name}`}
                  onClick={() => setLeaving(instance)}
                >
                  Revoke
                </Button>
              ),
          },
        ]}
      />
      {leaving && (
        <ConfirmDialog
          title={`Revoke ${leaving.name}?`}
          action="Revoke"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          Its key is deleted and it is let in no more. It stops its taps when it is next refused.
        </ConfirmDialog>
      )}
    </section>
  );
}
