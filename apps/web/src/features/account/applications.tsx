import type { AllowedApplication } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { applicationsQuery, revokeApplication } from '../../api/oauth.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { Loaded, Section } from '../settings/page.tsx';

/** Applications this person allowed to act in their name, and taking that back. */
export function Applications() {
  const query = useQuery(applicationsQuery());
  const [going, setGoing] = useState<AllowedApplication>();
  const revoke = useApiMutation(revokeApplication, {
    touches: [['account', 'applications']],
    onDone: () => setGoing(undefined),
  });
  return (
    <Section title="Applications" about="What you allowed to act in your name.">
      <Loaded query={query} label="the applications">
        {(rows) => (
          <Table
            label="Applications"
            rows={rows}
            keyOf={(application) => application.id}
            empty="You allowed none."
            columns={[
              { label: 'Name', cell: (application) => application.client.name },
              { label: 'Project', cell: (application) => application.project?.name ?? 'deleted' },
              { label: 'May', cell: (application) => application.scopes.join(', ') },
              { label: 'Allowed', cell: (application) => <When time={application.allowedAt} /> },
              {
                label: 'Actions',
                align: 'end',
                cell: (application) => (
                  <Button
                    className="h-6"
                    aria-label={`Take back what ${application.client.name} may do`}
                    onClick={() => setGoing(application)}
                  >
                    Take back
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {going && (
        <ConfirmDialog
          title={`Stop allowing ${going.client.name}?`}
          action="Take back"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(going.id)}
          onClose={() => setGoing(undefined)}
        >
          <p>Its tokens for you stop working at once. It may ask you again.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
