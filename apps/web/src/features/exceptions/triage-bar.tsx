import type { ExceptionTriage } from '@candela/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { triageException } from '../../api/exceptions.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { TriageBadge } from './triage-badge.tsx';

/** Resolves, ignores, reopens and assigns a group of exceptions. */
export function TriageBar({ fingerprint, triage }: { fingerprint: string; triage: ExceptionTriage }) {
  const client = useQueryClient();
  const { person } = useWhoAsks();
  const [assignee, setAssignee] = useState(triage.assignee ?? '');
  const change = useMutation({
    mutationFn: (body: Parameters<typeof triageException>[1]) => triageException(fingerprint, body),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['exception', fingerprint] }),
        client.invalidateQueries({ queryKey: ['exceptions'] }),
      ]),
  });
  const assign = (name: string) => {
    setAssignee(name);
    change.mutate({ assignee: name.trim() === '' ? null : name.trim() });
  };
  const { status } = triage;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm" role="group" aria-label="Triage">
      <TriageBadge triage={{ ...triage, assignee: null }} />
      {status !== 'resolved' && (
        <Button disabled={change.isPending} onClick={() => change.mutate({ status: 'resolved' })}>
          Resolve
        </Button>
      )}
      {status !== 'ignored' && (
        <Button disabled={change.isPending} onClick={() => change.mutate({ status: 'ignored' })}>
          Ignore
        </Button>
      )}
      {status !== 'open' && (
        <Button disabled={change.isPending} onClick={() => change.mutate({ status: 'open' })}>
          Reopen
        </Button>
      )}
      <form
        className="flex items-center gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          assign(assignee);
        }}
      >
        <label className="flex items-center gap-1 text-muted">
          Assigned to
          <input
            value={assignee}
            maxLength={200}
            placeholder="nobody"
            onChange={(event) => setAssignee(event.target.value)}
            className="h-7 w-44 rounded-md border border-line bg-raised px-2 text-text"
          />
        </label>
        <Button type="submit" disabled={change.isPending || assignee.trim() === (triage.assignee ?? '')}>
          Assign
        </Button>
      </form>
      {person !== undefined && triage.assignee !== person.email && (
        <Button look="plain" disabled={change.isPending} onClick={() => assign(person.email)}>
          Assign to me
        </Button>
      )}
      {triage.changedBy !== null && <span className="text-muted">last changed by {triage.changedBy}</span>}
      <ErrorLine error={change.error} />
    </div>
  );
}
