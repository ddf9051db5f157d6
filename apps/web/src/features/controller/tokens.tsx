import { useQuery } from '@tanstack/react-query';
import { controllerTokensQuery, revokeControllerToken } from '../../api/controller.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';

/** Enrolment tokens that may still be used. */
export function Tokens() {
  const query = useQuery(controllerTokensQuery());
  const revoke = useApiMutation(revokeControllerToken, { touches: [['controller-tokens']] });
  const alive = (query.data ?? []).filter(({ revokedAt, usesLeft }) => revokedAt === null && usesLeft > 0);
  if (alive.length === 0) return null;
  return (
    <section aria-label="Enrolment tokens">
      <h2 className="mb-1 text-base font-semibold">Enrolment tokens</h2>
      <ErrorLine error={revoke.error} />
      <Table
        label="Enrolment tokens"
        rows={alive}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          { label: 'Cluster', cell: ({ cluster }) => cluster },
          { label: 'Created by', cell: ({ createdBy }) => createdBy },
          { label: 'Hosts left', align: 'end', cell: ({ usesLeft }) => usesLeft },
          { label: 'Ends', cell: ({ expiresAt }) => <When time={expiresAt} none="" /> },
          {
            label: 'Actions',
            align: 'end',
            cell: ({ id, cluster }) => (
              <Button
                className="h-6"
                aria-label={`End the token of ${cluster}`}
                onClick={() => revoke.mutate(id)}
              >
                End
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}
