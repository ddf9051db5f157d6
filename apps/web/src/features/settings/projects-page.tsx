import type { Project } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createProject, deleteProject, projectsQuery, renameProject } from '../../api/projects.ts';
import { findByWords } from '../../lib/find-by-words.ts';
import { exact } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { TextField } from '../../ui/field.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded, Section, SettingsPage } from './page.tsx';
import { ProjectMembers } from './project-members.tsx';

type Doing = { readonly what: 'rename' | 'members' | 'delete'; readonly project: Project };
/** More than these are found by words. */
const MOST_SEEN = 12;
const CHANGED = [['projects'], ['auth-status']] as const;

/** The projects of the organisation: what is apart in telemetry, keys and people. */
export function ProjectsPage() {
  const { can } = useWhoAsks();
  const query = useQuery(projectsQuery());
  const [making, setMaking] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  return (
    <SettingsPage
      title="Projects"
      about="What one project receives no other sees. Keys, environments, saved views and retention belong to a project; people are let into it."
      action={
        can('admin') && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden />
            New project
          </Button>
        )
      }
    >
      <Section title="Projects">
        <Loaded query={query} label="the projects">
          {(projects) => <Projects rows={projects} onDo={setDoing} />}
        </Loaded>
      </Section>
      {making && <NewProject onClose={() => setMaking(false)} />}
      {doing?.what === 'rename' && <Rename project={doing.project} onClose={close} />}
      {doing?.what === 'members' && <ProjectMembers project={doing.project} onClose={close} />}
      {doing?.what === 'delete' && <Delete project={doing.project} onClose={close} />}
    </SettingsPage>
  );
}

function Projects({ rows, onDo }: { rows: readonly Project[]; onDo: (doing: Doing) => void }) {
  const [words, setWords] = useState('');
  const named = findByWords(rows, words, ({ name }) => name);
  // Letters and digits of many ids have any short word.
  const found = named.length > 0 ? named : rows.filter(({ id }) => id.startsWith(words.toLowerCase()));
  return (
    <>
      {rows.length > MOST_SEEN && (
        <div className="mb-2 flex items-center gap-3">
          <FilterBox
            label="Find a project"
            placeholder="Part of a name or an id"
            value={words}
            onChange={setWords}
            className="max-w-96"
          />
          <span role="status" className="text-sm text-muted">
            {words === '' ? exact(rows.length) : `${exact(found.length)} of ${exact(rows.length)}`}
          </span>
        </div>
      )}
      <ProjectTable
        rows={found}
        empty={
          words === ''
            ? 'You were let into no project yet. An admin can do that.'
            : 'No project has these words in its name or id.'
        }
        onDo={onDo}
      />
    </>
  );
}

function ProjectTable(props: { rows: readonly Project[]; empty: string; onDo: (doing: Doing) => void }) {
  const { onDo } = props;
  const { can } = useWhoAsks();
  return (
    <Table
      label="Projects"
      rows={props.rows}
      keyOf={(project) => project.id}
      empty={props.empty}
      columns={[
        {
          label: 'Name',
          cell: (project) => (
            <>
              <MiddleTruncation name={project.name} className="max-w-48 2xl:max-w-96" />{' '}
              {project.isDefault && <Badge>default</Badge>}
            </>
          ),
        },
        {
          label: 'Id',
          cell: (project) => (
            <span className="flex items-center gap-1">
              <code className="font-mono">{project.id}</code>
              <CopyButton label={`Copy the id of ${project.name}`} text={() => project.id} />
            </span>
          ),
        },
        { label: 'Environments', align: 'end', cell: (project) => project.environments },
        { label: 'People added', align: 'end', cell: (project) => project.members },
        { label: 'Made', cell: (project) => <When time={project.createdAt} /> },
        {
          label: 'Actions',
          align: 'end',
          cell: (project) => (
            <span className="inline-flex gap-1">
              <Button
                className="h-6"
                aria-label={`People of ${project.name}`}
                onClick={() => onDo({ what: 'members', project })}
              >
                People
              </Button>
              {can('admin') && (
                <Button
                  className="h-6"
                  aria-label={`Rename ${project.name}`}
                  onClick={() => onDo({ what: 'rename', project })}
                >
                  Rename
                </Button>
              )}
              {can('owner') && !project.isDefault && (
                <Button
                  className="h-6"
                  aria-label={`Delete ${project.name}`}
                  onClick={() => onDo({ what: 'delete', project })}
                >
                  Delete
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const make = useApiMutation(createProject, { touches: CHANGED, onDone: onClose });
  return (
    <FormDialog
      title="New project"
      action="Create project"
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== ''}
      onSubmit={() => make.mutate(name.trim())}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={100}
        value={name}
        onValue={setName}
        hint="It begins with the environment production; others appear with their first record."
      />
    </FormDialog>
  );
}

function Rename({ project, onClose }: { project: Project; onClose: () => void }) {
  const [name, setName] = useState(project.name);
  const rename = useApiMutation(renameProject, { touches: CHANGED, onDone: onClose });
  return (
    <FormDialog
      title={`Rename ${project.name}`}
      action="Rename"
      busy={rename.isPending}
      error={rename.error}
      ready={name.trim() !== '' && name.trim() !== project.name}
      onSubmit={() => rename.mutate({ id: project.id, name: name.trim() })}
      onClose={onClose}
    >
      <TextField label="Name" required autoFocus maxLength={100} value={name} onValue={setName} />
    </FormDialog>
  );
}

function Delete({ project, onClose }: { project: Project; onClose: () => void }) {
  const remove = useApiMutation(deleteProject, { touches: CHANGED, onDone: onClose });
  return (
    <ConfirmDialog
      title={`Delete ${project.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(project.id)}
      onClose={onClose}
    >
      <p>
        Its API keys stop working at once, and nobody can read its telemetry any more; the records go when
        their time is over. This cannot be taken back.
      </p>
    </ConfirmDialog>
  );
}
