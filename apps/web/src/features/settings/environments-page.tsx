import type { Environment } from '@candela/contract';
import { isEnvironmentName } from '@candela/kernel';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createEnvironment, deleteEnvironment, environmentsOfQuery } from '../../api/projects.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useProject } from '../session/use-project.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded, Section, SettingsPage } from './page.tsx';

/** The environments of the project in the header. */
export function EnvironmentsPage() {
  const project = useProject();
  const { can } = useWhoAsks();
  const [making, setMaking] = useState(false);
  const query = useQuery({ ...environmentsOfQuery(project?.id ?? ''), enabled: project !== undefined });
  return (
    <SettingsPage
      title="Environments"
      about="Where a record comes from: its header or its resource attribute deployment.environment.name says so, else the key. The first record of a new one makes it."
      action={
        can('admin') &&
        project !== undefined && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden />
            New environment
          </Button>
        )
      }
    >
      {project === undefined ? (
        <p className="text-muted">You were let into no project yet. An admin can do that.</p>
      ) : (
        <Section title={`Environments of ${project.name}`}>
          <Loaded query={query} label="the environments">
            {(rows) => <Environments projectId={project.id} rows={rows} />}
          </Loaded>
          {making && <NewEnvironment projectId={project.id} onClose={() => setMaking(false)} />}
        </Section>
      )}
    </SettingsPage>
  );
}

const touches = (projectId: string) => [['projects', projectId], ['auth-status'], ['routing']];

function Environments({ projectId, rows }: { projectId: string; rows: readonly Environment[] }) {
  const { can } = useWhoAsks();
  const [going, setGoing] = useState<string>();
  const remove = useApiMutation(deleteEnvironment, {
    touches: touches(projectId),
    onDone: () => setGoing(undefined),
  });
  return (
    <>
      <Table
        label="Environments"
        rows={rows}
        keyOf={(environment) => environment.name}
        empty="There is none."
        columns={[
          {
            label: 'Name',
            cell: (environment) => (
              <>
                {environment.name} {environment.isDefault && <Badge>default</Badge>}
              </>
            ),
          },
          {
            label: 'Created by',
            cell: (environment) => (environment.origin === 'settings' ? 'a person' : 'its first record'),
          },
          { label: 'Made', cell: (environment) => <When time={environment.createdAt} /> },
          {
            label: 'Actions',
            align: 'end',
            cell: (environment) =>
              can('admin') &&
              !environment.isDefault && (
                <Button
                  className="h-6"
                  aria-label={`Delete ${environment.name}`}
                  onClick={() => setGoing(environment.name)}
                >
                  Delete
                </Button>
              ),
          },
        ]}
      />
      {going !== undefined && (
        <ConfirmDialog
          title={`Delete ${going}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ id: projectId, name: going })}
          onClose={() => setGoing(undefined)}
        >
          <p>
            It leaves the list. Its records stay until their time is over, and a new record makes it again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function NewEnvironment({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const make = useApiMutation(createEnvironment, { touches: touches(projectId), onDone: onClose });
  const wrong = name !== '' && !isEnvironmentName(name);
  return (
    <FormDialog
      title="New environment"
      action="Create environment"
      busy={make.isPending}
      error={make.error}
      ready={name !== '' && !wrong}
      onSubmit={() => make.mutate({ id: projectId, name })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={63}
        spellCheck={false}
        placeholder="staging"
        value={name}
        onValue={setName}
        hint="Small letters, digits, “.”, “_” and “-”."
        error={wrong ? 'Small letters, digits, “.”, “_” and “-”, the first a letter or digit.' : undefined}
      />
    </FormDialog>
  );
}
