import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { organisationQuery, renameOrganisation } from '../../api/organisation.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded, Section, SettingsPage } from './page.tsx';

/** Name and id of the organisation. */
export function OrganisationPage() {
  const query = useQuery(organisationQuery());
  return (
    <SettingsPage
      title="Organisation"
      about="Everybody who works here together. It holds the projects, and the people who reach them."
    >
      <Loaded query={query} label="the organisation">
        {(organisation) => (
          <Section title={organisation.name}>
            <Facts>
              <Fact label="Id">
                <code className="font-mono">{organisation.id}</code>
                <CopyButton label="Copy the id" text={() => organisation.id} />
              </Fact>
              <Fact label="Made">
                <When time={organisation.createdAt} />
              </Fact>
            </Facts>
            <Rename key={organisation.name} name={organisation.name} />
          </Section>
        )}
      </Loaded>
    </SettingsPage>
  );
}

function Rename({ name }: { name: string }) {
  const { can } = useWhoAsks();
  const [text, setText] = useState(name);
  const rename = useApiMutation(renameOrganisation, { touches: [['organisation'], ['auth-status']] });
  if (!can('admin')) return <p className="text-sm text-muted">Admins and owners may rename it.</p>;
  return (
    <Form
      label="Rename the organisation"
      busy={rename.isPending}
      className="max-w-md"
      onSubmit={() => rename.mutate(text.trim())}
    >
      <TextField label="Name" required maxLength={100} value={text} onValue={setText} />
      <ErrorLine error={rename.error} />
      <div>
        <Button look="primary" type="submit" disabled={rename.isPending || text.trim() === name}>
          Rename
        </Button>
      </div>
    </Form>
  );
}
