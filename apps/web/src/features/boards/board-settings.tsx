import type { Board, BoardVariable } from '@candela/contract';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { ReadField } from '../../ui/read-field.tsx';
import { FolderField } from './folder-dialogs.tsx';

export interface BoardSettingsValue {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly folderId: string | null;
  readonly visibility: Board['visibility'];
  readonly refreshSeconds: number;
  readonly variables: readonly BoardVariable[];
}

const REFRESH = [
  { value: '0', label: 'Never' },
  { value: '30', label: 'Every 30 seconds' },
  { value: '60', label: 'Every minute' },
  { value: '300', label: 'Every 5 minutes' },
  { value: '600', label: 'Every 10 minutes' },
];
const KINDS = [
  { value: 'field', label: 'Values of a field' },
  { value: 'list', label: 'A list' },
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
];

const splitOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** What a board is beside its widgets: title, folder, who sees it, refresh, variables. */
export function BoardSettings(props: {
  value: BoardSettingsValue;
  onDone: (next: Omit<BoardSettingsValue, 'variables'> & { variables: BoardVariable[] }) => void;
  onClose: () => void;
}) {
  const [form, setForm] = useState(props.value);
  const [tags, setTags] = useState(props.value.tags.join(', '));
  const change = (next: Partial<BoardSettingsValue>) => setForm((before) => ({ ...before, ...next }));
  const replace = (at: number, next: BoardVariable) => change({ variables: form.variables.with(at, next) });
  return (
    <FormDialog
      title="Dashboard settings"
      action="Apply"
      busy={false}
      error={undefined}
      ready={form.title.trim() !== ''}
      wide
      onClose={props.onClose}
      onSubmit={() => props.onDone({ ...form, tags: splitOf(tags), variables: [...form.variables] })}
    >
      <TextField label="Title" value={form.title} onValue={(title) => change({ title })} maxLength={120} />
      <TextArea
        label="Description"
        value={form.description}
        onValue={(description) => change({ description })}
        rows={2}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Tags" hint="Separated by commas." value={tags} onValue={setTags} />
        <FolderField label="Folder" value={form.folderId} onValue={(folderId) => change({ folderId })} />
        <SelectField
          label="Who sees it"
          value={form.visibility}
          onValue={(visibility) => change({ visibility: visibility === 'private' ? 'private' : 'project' })}
          options={[
            { value: 'project', label: 'Everybody in the project' },
            { value: 'private', label: 'Only me' },
          ]}
        />
        <SelectField
          label="Refresh"
          value={String(form.refreshSeconds)}
          onValue={(seconds) => change({ refreshSeconds: Number(seconds) })}
          options={REFRESH}
        />
      </div>
      <h3 className="font-medium">Variables</h3>
      {form.variables.map((one, at) => (
        // Added or removed: what is typed stands with its variable again.
        <fieldset
          key={`${at} of ${form.variables.length}`}
          className="grid gap-2 rounded-md border border-line p-2 sm:grid-cols-2"
        >
          <legend className="sr-only">{`Variable ${one.label}`}</legend>
          <TextField label="Name" value={one.name} onValue={(name) => replace(at, { ...one, name })} />
          <TextField label="Label" value={one.label} onValue={(label) => replace(at, { ...one, label })} />
          <SelectField
            label="Kind"
            value={one.kind}
            onValue={(kind) => replace(at, { ...one, kind: kind as BoardVariable['kind'] })}
            options={KINDS}
          />
          <TextField
            label="Field"
            hint="The field that chosen values narrow."
            value={one.field ?? ''}
            onValue={(field) => {
              const { field: _before, ...rest } = one;
              replace(at, field === '' ? rest : { ...rest, field });
            }}
          />
          {one.kind === 'list' && (
            <ReadField
              label="Values"
              hint="Separated by commas."
              initial={one.values.join(', ')}
              onText={(text) => replace(at, { ...one, values: splitOf(text) })}
            />
          )}
          {one.kind === 'field' && (
            <ReadField
              label="Leaves out"
              hint="Values, separated by commas, that do not count while none is chosen."
              initial={(one.without ?? []).join(', ')}
              onText={(text) => {
                const { without: _before, ...rest } = one;
                const without = splitOf(text);
                replace(at, without.length === 0 ? rest : { ...rest, without });
              }}
            />
          )}
          <div className="flex items-end justify-between">
            <CheckField
              label="Several values"
              checked={one.multi}
              onChange={(multi) => replace(at, { ...one, multi })}
            />
            <Button
              look="plain"
              aria-label={`Remove the variable ${one.label}`}
              onClick={() => change({ variables: form.variables.filter((_each, index) => index !== at) })}
            >
              <Trash2 size={14} aria-hidden />
            </Button>
          </div>
        </fieldset>
      ))}
      <Button
        className="self-start"
        onClick={() =>
          change({
            variables: [
              ...form.variables,
              {
                name: `variable${form.variables.length + 1}`,
                label: 'Service',
                kind: 'field',
                field: 'service',
                values: [],
                multi: true,
                initial: [],
              },
            ],
          })
        }
      >
        <Plus size={14} aria-hidden />
        Add variable
      </Button>
    </FormDialog>
  );
}
