import type { ModelConfig } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { deleteModelIn, secretNamesQuery } from '../../api/model-settings.ts';
import { modelsQuery } from '../../api/models.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { ModelCheckDialog } from './model-check.tsx';
import { ModelDialog } from './model-dialog.tsx';
import { PROVIDER_WORDS } from './model-words.ts';
import { Loaded, Section, SettingsPage } from './page.tsx';
import { PricesSection } from './prices-section.tsx';

type Doing = { readonly what: 'check' | 'change' | 'delete'; readonly model: ModelConfig };

/** The language models that prompts are tried with. */
export function ModelsPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const query = useQuery(modelsQuery(environment));
  const [making, setMaking] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const mayChange = can('admin');
  return (
    <SettingsPage
      title="Models & prices"
      about="Language models that prompts can be tried with, and what the calls of every model cost."
      action={
        mayChange && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden />
            New model
          </Button>
        )
      }
    >
      <Section
        title="Models to try prompts with"
        about="Of a vendor, or on a server of your own. Their API keys stay in the vault, where each use of one is noted."
      >
        <Loaded query={query} label="the models">
          {(rows) => <Models rows={rows} mayChange={mayChange} onDo={setDoing} />}
        </Loaded>
      </Section>
      <PricesSection />
      {making && <ModelDialog onClose={() => setMaking(false)} />}
      {doing?.what === 'check' && <ModelCheckDialog model={doing.model} onClose={close} />}
      {doing?.what === 'change' && <ModelDialog model={doing.model} onClose={close} />}
      {doing?.what === 'delete' && <Delete model={doing.model} onClose={close} />}
    </SettingsPage>
  );
}

function Models(props: { rows: readonly ModelConfig[]; mayChange: boolean; onDo: (doing: Doing) => void }) {
  const { rows, mayChange, onDo } = props;
  const { environment } = useShell();
  const secrets = useQuery(secretNamesQuery(environment)).data;
  const secretOf = ({ secretId }: ModelConfig) => {
    if (secretId === null) return <span className="text-muted">none</span>;
    if (secrets === undefined) return <span className="text-muted">…</span>;
    const found = secrets.find(({ id }) => id === secretId);
    return found === undefined ? (
      <Badge tone="warn">not in the vault</Badge>
    ) : (
      <code className="font-mono">{found.key}</code>
    );
  };
  return (
    <Table
      label="Models"
      rows={rows}
      keyOf={({ id }) => id}
      empty={
        mayChange
          ? 'There is none yet. Add one, and prompts can be tried with it.'
          : 'There is none yet. An admin or owner can add one.'
      }
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        { label: 'Provider', cell: ({ provider }) => PROVIDER_WORDS[provider] },
        { label: 'Model', cell: ({ model }) => <code className="font-mono wrap-anywhere">{model}</code> },
        {
          label: 'Address',
          cell: ({ baseUrl, allowInsecure }) =>
            baseUrl === null ? (
              <span className="text-muted">the provider's own</span>
            ) : (
              <>
                <span className="inline-block max-w-64 truncate align-bottom" title={baseUrl}>
                  {baseUrl}
                </span>{' '}
                {allowInsecure && <Badge tone="warn">insecure allowed</Badge>}
              </>
            ),
        },
        { label: 'Key', cell: secretOf },
        ...(mayChange
          ? [
              {
                label: 'Actions',
                align: 'end' as const,
                cell: (model: ModelConfig) => <Actions model={model} onDo={onDo} />,
              },
            ]
          : []),
      ]}
    />
  );
}

const ACTIONS = [
  ['check', 'Check'],
  ['change', 'Change'],
  ['delete', 'Delete'],
] as const;

function Actions({ model, onDo }: { model: ModelConfig; onDo: (doing: Doing) => void }) {
  return (
    <span className="inline-flex gap-1">
      {ACTIONS.map(([what, word]) => (
        <Button
          key={what}
          className="h-6"
          aria-label={`${word} ${model.name}`}
          onClick={() => onDo({ what, model })}
        >
          {word}
        </Button>
      ))}
    </span>
  );
}

function Delete({ model, onClose }: { model: ModelConfig; onClose: () => void }) {
  const { environment } = useShell();
  const remove = useApiMutation(deleteModelIn(environment), { touches: [['models']], onDone: onClose });
  return (
    <ConfirmDialog
      title={`Delete ${model.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(model.id)}
      onClose={onClose}
    >
      <p>Prompts can no longer be tried with it. Its key stays in the vault.</p>
    </ConfirmDialog>
  );
}
