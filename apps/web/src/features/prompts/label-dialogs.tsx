import type { Prompt } from '@candela/contract';
import { useState } from 'react';
import { PROMPT_KEYS, removeLabelIn, setLabelIn } from '../../api/prompts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

const TOUCHES = [PROMPT_KEYS];

/** A label on a version, new or moved: says what that means, once. */
export function MoveLabel(props: {
  prompt: Prompt;
  /** Empty: a new one. */
  label: string;
  version: string;
  versions: readonly string[];
  onClose: () => void;
}) {
  const { prompt } = props;
  const { environment } = useShell();
  const [label, setLabel] = useState(props.label);
  const [version, setVersion] = useState(props.version);
  const set = useApiMutation(setLabelIn(environment), { touches: TOUCHES, onDone: props.onClose });
  const now = prompt.labels.find((row) => row.label === label)?.version;
  const isNew = props.label === '';
  const valid = /^[a-z][a-z0-9_.-]{0,49}$/.test(label) && label !== 'latest' && label !== 'draft';
  return (
    <FormDialog
      title={isNew ? `New label of ${prompt.name}` : `Move ${label}`}
      action={now === undefined ? 'Assign' : 'Move it'}
      busy={set.isPending}
      error={set.error}
      ready={valid && version !== now}
      onSubmit={() => set.mutate({ id: prompt.id, label, version })}
      onClose={props.onClose}
    >
      {isNew && (
        <TextField
          label="Label"
          required
          autoFocus
          autoComplete="off"
          maxLength={50}
          placeholder="production"
          value={label}
          onValue={setLabel}
          error={
            label !== '' && !valid
              ? 'a-z, 0-9, "_", "." and "-", the first a letter; not "latest", not "draft".'
              : undefined
          }
        />
      )}
      <SelectField
        label="Version"
        value={version}
        onValue={setVersion}
        autoFocus={!isNew}
        options={props.versions.map((value) => ({
          value,
          label: value === prompt.latestVersion ? `${value}, the newest` : value,
        }))}
      />
      <p className="text-sm text-muted">
        {now === undefined
          ? 'Applications that ask for the label get this version within a second.'
          : version === now
            ? `${label} is ${now}.`
            : `${label} goes from ${now} to ${version}: applications that ask for it get that within a second.`}
      </p>
    </FormDialog>
  );
}

/** Takes a label away. */
export function RemoveLabel(props: { prompt: Prompt; label: string; onClose: () => void }) {
  const { prompt, label } = props;
  const { environment } = useShell();
  const remove = useApiMutation(removeLabelIn(environment), { touches: TOUCHES, onDone: props.onClose });
  return (
    <ConfirmDialog
      title={`Remove ${label} from ${prompt.name}?`}
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id: prompt.id, label })}
      onClose={props.onClose}
    >
      <p>Applications that ask for {label} are told that there is none. The version stays.</p>
    </ConfirmDialog>
  );
}
