import type { ApiKey } from '@candela/contract';
import { SCOPES, type Scope } from '@candela/kernel';
import { OFFERED_SCOPES } from '../../api/routes.gen.ts';
import { useState } from 'react';
import { changeKey, createKey, rotateKey } from '../../api/keys.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useProject } from '../session/use-project.ts';
import { SCOPE_WORDS } from './scope-words.ts';

const TOUCHES = [['api-keys']];
const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '', label: 'never' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
];

interface Limits {
  readonly scopes: readonly Scope[];
  /** Null: all of the project, also those to come. */
  readonly environments: readonly string[] | null;
}
const complete = ({ scopes, environments }: Limits) =>
  scopes.length > 0 && (environments === null || environments.length > 0);

function LimitFields({ limits, onChange }: { limits: Limits; onChange: (limits: Limits) => void }) {
  const project = useProject();
  const known = new Set([...(project?.environments ?? []), ...(limits.environments ?? [])]);
  return (
    <>
      <CheckList
        label="Scopes"
        options={OFFERED_SCOPES.map((scope) => ({ value: scope, label: scope, hint: SCOPE_WORDS[scope] }))}
        chosen={limits.scopes}
        onChange={(chosen) =>
          onChange({ ...limits, scopes: SCOPES.filter((scope) => chosen.includes(scope)) })
        }
      />
      <CheckField
        label="All environments"
        hint="Including future ones."
        checked={limits.environments === null}
        onChange={(all) => onChange({ ...limits, environments: all ? null : [] })}
      />
      {limits.environments !== null && (
        <CheckList
          label="Environments"
          options={[...known].map((name) => ({ value: name, label: name }))}
          chosen={limits.environments}
          onChange={(environments) => onChange({ ...limits, environments })}
        />
      )}
    </>
  );
}

type Made = (made: { name: string; apiKey: string }) => void;

/** A new key, with what it may do. */
export function NewKey({ onMade, onClose }: { onMade: Made; onClose: () => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [limits, setLimits] = useState<Limits>({ scopes: ['ingest'], environments: null });
  const make = useApiMutation(createKey, { touches: TOUCHES, onDone: onMade });
  return (
    <FormDialog
      title="New key"
      action="Create key"
      wide
      busy={make.isPending}
      error={make.error}
      ready={name.trim().length >= 3 && complete(limits)}
      onSubmit={() =>
        make.mutate({
          name: name.trim(),
          scopes: [...limits.scopes],
          environments: limits.environments === null ? null : [...limits.environments],
          expiresAt: days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        minLength={3}
        maxLength={100}
        placeholder="checkout service"
        value={name}
        onValue={setName}
        hint="Who uses it; at least three characters."
      />
      <LimitFields limits={limits} onChange={setLimits} />
      <SelectField label="Expires" value={days} onValue={setDays} options={LIFETIMES} />
    </FormDialog>
  );
}

/** Another name or other limits for a key. */
export function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [name, setName] = useState(apiKey.name);
  const [limits, setLimits] = useState<Limits>(apiKey);
  const change = useApiMutation(changeKey, { touches: TOUCHES, onDone: onClose });
  return (
    <FormDialog
      title={`Change ${apiKey.name}`}
      action="Change"
      wide
      busy={change.isPending}
      error={change.error}
      ready={name.trim().length >= 3 && complete(limits)}
      onSubmit={() =>
        change.mutate({
          id: apiKey.id,
          name: name.trim(),
          scopes: [...limits.scopes],
          environments: limits.environments === null ? null : [...limits.environments],
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        minLength={3}
        maxLength={100}
        value={name}
        onValue={setName}
      />
      <LimitFields limits={limits} onChange={setLimits} />
      <p className="text-sm text-muted">In force within a second.</p>
    </FormDialog>
  );
}

const OVERLAPS = [
  { value: '0', label: 'stops at once' },
  { value: '3600', label: 'goes on for an hour' },
  { value: '86400', label: 'goes on for a day' },
  { value: '604800', label: 'goes on for a week' },
];

/** A key that follows another one; for a while both work, so that nothing has to change at the same moment. */
export function RotateKey(props: { apiKey: ApiKey; onMade: Made; onClose: () => void }) {
  const [overlap, setOverlap] = useState('86400');
  const rotate = useApiMutation(rotateKey, { touches: TOUCHES, onDone: props.onMade });
  return (
    <FormDialog
      title={`Rotate ${props.apiKey.name}`}
      action="Create new key"
      busy={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate({ id: props.apiKey.id, overlapSeconds: Number(overlap) })}
      onClose={props.onClose}
    >
      <p className="text-muted">
        A new key with the same name, scopes and environments takes its place. Give it to whatever uses the
        old one before that ends.
      </p>
      <SelectField label="The old key" value={overlap} onValue={setOverlap} options={OVERLAPS} />
    </FormDialog>
  );
}
