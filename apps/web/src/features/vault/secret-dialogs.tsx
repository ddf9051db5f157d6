import type { Secret } from '@candela/contract';
import { secretKeyOf, secretKeyProblem } from '@candela/contract/secret-key';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keysQuery } from '../../api/keys.ts';
import { oauthClientsQuery } from '../../api/oauth.ts';
import { changeSecretIn, createSecretIn, deleteSecretIn, restoreSecretIn, SECRETS } from '../../api/vault.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, CheckList, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { useShell } from '../shell/shell-search.ts';
import { SecretValueField } from './secret-value-field.tsx';

const TOUCHES = [SECRETS];

/** Which keys and applications may read it: all that have the scope, or those chosen by name. */
function AccessFields(props: {
  grants: readonly string[] | null;
  onGrants: (grants: string[] | null) => void;
}) {
  const { grants } = props;
  const keys = useInfiniteQuery(keysQuery());
  const clients = useInfiniteQuery(oauthClientsQuery());
  const options = [
    ...(keys.data?.pages.flatMap((page) => page.data) ?? [])
      .filter((key) => key.scopes.includes('vault'))
      .map((key) => ({ value: key.id, label: key.name, hint: `key ${key.prefix}…` })),
    ...(clients.data?.pages.flatMap((page) => page.data) ?? [])
      .filter((client) => client.scopes.includes('vault'))
      .map((client) => ({ value: `oauth:${client.id}`, label: client.name, hint: 'application' })),
  ];
  // Of a key that is gone the grant stays until it is taken away here.
  const gone = (grants ?? []).filter((id) => !options.some((option) => option.value === id));
  const loading = keys.isPending || clients.isPending;
  return (
    <>
      <CheckField
        label="Every key of the project with the scope vault"
        hint="Including future ones."
        checked={grants === null}
        onChange={(all) => props.onGrants(all ? null : [])}
      />
      {grants !== null && (
        <CheckList
          label="May read it"
          options={[
            ...options,
            ...(loading ? [] : gone.map((id) => ({ value: id, label: id, hint: 'no longer there' }))),
          ]}
          chosen={grants}
          onChange={(chosen) => props.onGrants([...chosen])}
          hint={
            loading
              ? 'Loading the keys …'
              : options.length === 0
                ? 'No key has the scope vault yet: make one in Settings, API keys. Until then nobody reads it.'
                : 'None: nobody reads it.'
          }
        />
      )}
    </>
  );
}

/** A new secret. What is typed as its name is shown as it will be kept. */
export function NewSecret(props: { onMade: (made: Secret) => void; onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [tags, setTags] = useState<string[]>([]);
  const [grants, setGrants] = useState<string[] | null>(null);
  const make = useApiMutation(createSecretIn(environment), {
    touches: TOUCHES,
    onDone: props.onMade,
    forgets: true,
  });
  const key = secretKeyOf(name);
  const problem = name.trim() === '' ? undefined : secretKeyProblem(key);
  return (
    <FormDialog
      title="New secret"
      action="Keep it"
      wide
      busy={make.isPending}
      error={make.error}
      ready={key !== '' && problem === undefined && value !== ''}
      onSubmit={() => make.mutate({ key: name, value, tags, grants })}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={512}
        placeholder="DB_PASSWORD"
        value={name}
        onValue={setName}
        error={problem}
        hint={
          key === '' || key === name ? (
            'Stored in capitals with underscores, so that it is an environment variable too.'
          ) : (
            <>
              Stored as <code className="font-mono text-text">{key}</code>
            </>
          )
        }
      />
      <SecretValueField label="Value" value={value} onValue={setValue} />
      <TagsField label="Tags" tags={tags} onTags={setTags} most={32} longest={64} />
      <AccessFields grants={grants} onGrants={setGrants} />
    </FormDialog>
  );
}

interface Dialog {
  readonly secret: Secret;
  readonly onClose: () => void;
}

/** Another value; the one before stays in the history. */
export function ReplaceValue({ secret, onClose }: Dialog) {
  const { environment } = useShell();
  const [value, setValue] = useState('');
  const change = useApiMutation(changeSecretIn(environment), {
    touches: TOUCHES,
    onDone: onClose,
    forgets: true,
  });
  return (
    <FormDialog
      title={`Replace the value of ${secret.key}`}
      action={`Keep as version ${secret.version + 1}`}
      busy={change.isPending}
      error={change.error}
      ready={value !== ''}
      onSubmit={() => change.mutate({ id: secret.id, revision: secret.revision, value })}
      onClose={onClose}
    >
      <SecretValueField label="New value" value={value} onValue={setValue} autoFocus />
      <p className="text-sm text-muted">
        Applications get it the next time they ask. Version {secret.version} stays in the history and can be
        restored.
      </p>
    </FormDialog>
  );
}

/** Other tags, other readers. */
export function ChangeAccess({ secret, onClose }: Dialog) {
  const { environment } = useShell();
  const [tags, setTags] = useState<string[]>([...secret.tags]);
  const [grants, setGrants] = useState<string[] | null>(secret.grants && [...secret.grants]);
  const change = useApiMutation(changeSecretIn(environment), { touches: TOUCHES, onDone: onClose });
  return (
    <FormDialog
      title={`Tags and readers of ${secret.key}`}
      action="Change"
      wide
      busy={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate({ id: secret.id, revision: secret.revision, tags, grants })}
      onClose={onClose}
    >
      <TagsField label="Tags" tags={tags} onTags={setTags} most={32} longest={64} />
      <AccessFields grants={grants} onGrants={setGrants} />
    </FormDialog>
  );
}

/** The value of a former version in force again, as a version of its own. */
export function RestoreVersion({ secret, version, onClose }: Dialog & { version: number }) {
  const { environment } = useShell();
  const restore = useApiMutation(restoreSecretIn(environment), { touches: TOUCHES, onDone: onClose });
  return (
    <ConfirmDialog
      title={`Restore version ${version} of ${secret.key}?`}
      action="Restore"
      busy={restore.isPending}
      error={restore.error}
      onConfirm={() => restore.mutate({ id: secret.id, revision: secret.revision, version })}
      onClose={onClose}
    >
      <p>
        Its value becomes version {secret.version + 1}, which applications get from then on. Version{' '}
        {secret.version} stays in the history.
      </p>
    </ConfirmDialog>
  );
}

/** Away with it and its history. */
export function DeleteSecret({ secret, onClose, onGone }: Dialog & { onGone: () => void }) {
  const { environment } = useShell();
  // Only the list: the secret itself, still open beside it, would be asked for in vain.
  const remove = useApiMutation(deleteSecretIn(environment), {
    touches: [[...SECRETS, 'list']],
    onDone: onGone,
  });
  return (
    <ConfirmDialog
      title={`Delete ${secret.key}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(secret.id)}
      onClose={onClose}
    >
      <p>
        The value and {secret.version === 1 ? 'its history' : 'the versions before it'} are gone for good.
        Applications that ask for {secret.key} no longer get it.
      </p>
    </ConfirmDialog>
  );
}
