import { type Scope, SCOPES } from '@candela/kernel';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consentQuery, decide } from '../../api/oauth.ts';
import { Button } from '../../ui/button.tsx';
import { CheckList, SelectField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { SCOPE_WORDS } from '../settings/scope-words.ts';
import { Card } from './card.tsx';

const route = getRouteApi('/consent');

/** An application asks for leave: what for, in which project; allowed or not. */
export function ConsentPage() {
  const uid = route.useSearch({ select: (search) => search.uid ?? '' });
  const query = useQuery({ ...consentQuery(uid), enabled: uid !== '', staleTime: Number.POSITIVE_INFINITY });
  if (uid === '' || query.isError)
    return (
      <Card title="Allow an application">
        <ErrorLine error={query.error} />
        <p className="text-muted">Go back to the application and begin again.</p>
      </Card>
    );
  if (query.data === undefined)
    return (
      <Card title="Allow an application">
        <div role="status" aria-label="Loading what it asks for" className="skeleton h-24" />
      </Card>
    );
  return (
    <Card title={`Allow ${query.data.client.name}?`}>
      <Decision uid={uid} asked={query.data} />
    </Card>
  );
}

interface Asked {
  readonly client: { readonly name: string; readonly goesTo: string };
  readonly scopes: readonly Scope[];
  readonly staysAllowed: boolean;
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

function Decision({ uid, asked }: { uid: string; asked: Asked }) {
  const [projectId, setProjectId] = useState(asked.projects[0]?.id ?? '');
  const [scopes, setScopes] = useState<readonly Scope[]>(asked.scopes);
  const send = useMutation({ mutationFn: decide, onSuccess: (redirect) => location.assign(redirect) });
  const gone = send.isPending || send.isSuccess;
  return (
    <Form
      label="Decision"
      busy={gone}
      onSubmit={() => send.mutate({ uid, decision: { decision: 'allow', projectId, scopes: [...scopes] } })}
    >
      <p className="text-muted">
        It may then act in your name
        {asked.staysAllowed ? ', also while you are away, until you take it back in your account' : ''}. You
        go on to <strong className="font-medium wrap-anywhere text-text">{asked.client.goesTo}</strong>.
      </p>
      <CheckList
        label="What it may do"
        options={asked.scopes.map((scope) => ({ value: scope, label: scope, hint: SCOPE_WORDS[scope] }))}
        chosen={scopes}
        onChange={(chosen) => setScopes(SCOPES.filter((scope) => chosen.includes(scope)))}
      />
      <SelectField
        label="In the project"
        value={projectId}
        onValue={setProjectId}
        options={asked.projects.map((project) => ({ value: project.id, label: project.name }))}
      />
      <ErrorLine error={send.error} />
      <div className="flex gap-2">
        <Button
          look="primary"
          type="submit"
          className="h-8"
          disabled={gone || scopes.length === 0 || projectId === ''}
        >
          Allow
        </Button>
        <Button
          className="h-8"
          disabled={gone}
          onClick={() => send.mutate({ uid, decision: { decision: 'deny' } })}
        >
          Refuse
        </Button>
      </div>
    </Form>
  );
}
