import type { OauthClient } from '@candela/contract';
import { SCOPES, type Scope } from '@candela/kernel';
import { OFFERED_SCOPES } from '../../api/routes.gen.ts';
import { useState } from 'react';
import { changeClient, createClient } from '../../api/oauth.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckList, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { SCOPE_WORDS } from './scope-words.ts';

const TOUCHES = [['oauth-clients']];

type Grant = OauthClient['grants'][number];
const GRANTS: readonly { readonly value: Grant; readonly label: string; readonly hint: string }[] = [
  { value: 'authorization_code', label: 'People allow it', hint: 'In their browser, with PKCE.' },
  { value: 'refresh_token', label: 'It stays allowed', hint: 'It may go on without them.' },
  { value: 'client_credentials', label: 'It acts for itself', hint: 'With its secret alone.' },
];

interface Draft {
  readonly name: string;
  readonly redirects: string;
  readonly grants: readonly Grant[];
  readonly scopes: readonly Scope[];
}
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const bodyOf = (draft: Draft) => ({
  name: draft.name.trim(),
  redirectUris: linesOf(draft.redirects),
  grants: [...draft.grants],
  scopes: [...draft.scopes],
});
const complete = (draft: Draft) =>
  draft.name.trim().length >= 3 &&
  draft.grants.length > 0 &&
  draft.scopes.length > 0 &&
  (!draft.grants.includes('authorization_code') || linesOf(draft.redirects).length > 0);

function DraftFields(props: { draft: Draft; kind: OauthClient['kind']; onChange: (draft: Draft) => void }) {
  const { draft } = props;
  const grants = GRANTS.filter(
    (grant) => props.kind === 'confidential' || grant.value !== 'client_credentials',
  );
  return (
    <>
      <CheckList
        label="How it gets tokens"
        options={grants}
        chosen={draft.grants}
        onChange={(chosen) =>
          props.onChange({
            ...draft,
            grants: GRANTS.map((grant) => grant.value).filter((grant) => chosen.includes(grant)),
          })
        }
      />
      <TextArea
        label="Addresses people are sent back to"
        rows={3}
        maxLength={20_000}
        spellCheck={false}
        placeholder="https://app.example.com/callback"
        value={draft.redirects}
        onValue={(redirects) => props.onChange({ ...draft, redirects })}
        hint="One a line, compared letter by letter; https, or http on localhost."
      />
      <CheckList
        label="The most it may be given"
        options={OFFERED_SCOPES.map((scope) => ({ value: scope, label: scope, hint: SCOPE_WORDS[scope] }))}
        chosen={draft.scopes}
        onChange={(chosen) =>
          props.onChange({ ...draft, scopes: SCOPES.filter((scope) => chosen.includes(scope)) })
        }
      />
    </>
  );
}

/** Registers an application. */
export function NewOauthClient(props: {
  onMade: (made: OauthClient & { clientSecret: string | null }) => void;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<OauthClient['kind']>('confidential');
  const [draft, setDraft] = useState<Draft>({
    name: '',
    redirects: '',
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['telemetry'],
  });
  const make = useApiMutation(createClient, { touches: TOUCHES, onDone: props.onMade });
  const chooseKind = (value: string) => {
    setKind(value === 'public' ? 'public' : 'confidential');
    // Without a secret there is nothing it could act for itself with.
    if (value === 'public')
      setDraft({ ...draft, grants: draft.grants.filter((grant) => grant !== 'client_credentials') });
  };
  return (
    <FormDialog
      title="New application"
      action="Register"
      wide
      busy={make.isPending}
      error={make.error}
      ready={complete(draft)}
      onSubmit={() => make.mutate({ kind, ...bodyOf(draft) })}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        minLength={3}
        maxLength={100}
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
        hint="People see it when they are asked for leave."
      />
      <SelectField
        label="Kind"
        value={kind}
        onValue={chooseKind}
        options={[
          { value: 'confidential', label: 'Confidential: a server that keeps a secret' },
          { value: 'public', label: 'Public: an app or a command line, without a secret' },
        ]}
      />
      <DraftFields draft={draft} kind={kind} onChange={setDraft} />
    </FormDialog>
  );
}

/** Changes what an application may ask for and where it sends people back to. */
export function ChangeOauthClient({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    name: client.name,
    redirects: client.redirectUris.join('\n'),
    grants: client.grants,
    scopes: client.scopes,
  });
  const change = useApiMutation(changeClient, { touches: TOUCHES, onDone: onClose });
  return (
    <FormDialog
      title={`Change ${client.name}`}
      action="Change"
      wide
      busy={change.isPending}
      error={change.error}
      ready={complete(draft)}
      onSubmit={() => change.mutate({ id: client.id, change: bodyOf(draft) })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        minLength={3}
        maxLength={100}
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
      />
      <DraftFields draft={draft} kind={client.kind} onChange={setDraft} />
    </FormDialog>
  );
}
