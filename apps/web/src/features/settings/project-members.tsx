import type { Member, Project } from '@candela/contract';
import { hasRole } from '@candela/kernel';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { membersQuery } from '../../api/organisation.ts';
import { addToProject, projectMembersQuery, takeFromProject } from '../../api/projects.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded } from './page.tsx';

/** Who was let into a project, and letting others in. */
export function ProjectMembers({ project, onClose }: { project: Project; onClose: () => void }) {
  const { can } = useWhoAsks();
  const query = useQuery(projectMembersQuery(project.id));
  const remove = useApiMutation(takeFromProject, { touches: [['projects']] });
  const inside = new Set((query.data ?? []).map((member) => member.id));
  return (
    <Modal label={`People of ${project.name}`} onClose={onClose} className="w-[min(640px,94vw)]">
      <div className="flex max-h-[70vh] flex-col gap-3 overflow-y-auto p-4">
        <h2 className="text-lg font-semibold">People of {project.name}</h2>
        <p className="text-muted">Admins and owners reach every project and are not listed.</p>
        <Loaded query={query} label="the people">
          {(rows) => (
            <Table
              label={`People of ${project.name}`}
              rows={rows}
              keyOf={(member) => member.id}
              empty="Nobody was added yet."
              columns={[
                { label: 'Name', cell: (member) => member.name },
                { label: 'E-mail', cell: (member) => member.email },
                { label: 'Added', cell: (member) => <When time={member.addedAt} /> },
                {
                  label: 'Actions',
                  align: 'end',
                  cell: (member) =>
                    can('admin') && (
                      <Button
                        className="h-6"
                        aria-label={`Take ${member.email} out`}
                        disabled={remove.isPending}
                        onClick={() => remove.mutate({ id: project.id, userId: member.id })}
                      >
                        Take out
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
        <ErrorLine error={remove.error} />
        {can('admin') && <AddPerson project={project} inside={inside} />}
      </div>
      <footer className="flex justify-end border-t border-line px-4 py-2.5">
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Modal>
  );
}

function AddPerson({ project, inside }: { project: Project; inside: ReadonlySet<string> }) {
  const [chosen, setChosen] = useState('');
  const members = useInfiniteQuery(membersQuery());
  const add = useApiMutation(addToProject, { touches: [['projects']], onDone: () => setChosen('') });
  const { hasNextPage, fetchNextPage } = members;
  const others = (members.data?.pages ?? [])
    .flatMap((page): readonly Member[] => page.data)
    .filter((member) => !hasRole(member.role, 'admin') && !inside.has(member.id));
  return (
    <Form
      label="Add somebody"
      busy={add.isPending}
      onSubmit={() => add.mutate({ id: project.id, userId: chosen })}
      className="border-t border-line pt-3"
    >
      <SelectField
        label="Add somebody"
        value={chosen}
        onValue={setChosen}
        options={[
          { value: '', label: others.length === 0 ? 'Everybody is in already' : 'Choose …' },
          ...others.map((member) => ({ value: member.id, label: `${member.name}, ${member.email}` })),
        ]}
      />
      <ErrorLine error={add.error} />
      <div className="flex gap-2">
        <Button look="primary" type="submit" disabled={chosen === '' || add.isPending}>
          Add
        </Button>
        {hasNextPage && <Button onClick={() => void fetchNextPage()}>Look for more people</Button>}
      </div>
    </Form>
  );
}
