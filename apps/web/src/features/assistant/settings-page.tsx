import type { ChatConfig } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CHAT_KEYS, chatConfigQuery, saveChatConfigIn } from '../../api/chat.ts';
import { modelsQuery } from '../../api/models.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded, Section, SettingsPage } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';

/** Who answers in the assistant, and what it may cost. */
export function AssistantSettingsPage() {
  const { environment } = useShell();
  const config = useQuery(chatConfigQuery(environment));
  return (
    <SettingsPage
      title="Assistant"
      about="The model that answers questions, analyses traces and improves prompts. Any OpenAI-compatible server will do, also one without access to the internet."
    >
      <Loaded query={config} label="the settings of the assistant">
        {({ data, missing }) => <Settings key={data?.modelId ?? ''} config={data} missing={missing} />}
      </Loaded>
    </SettingsPage>
  );
}

const usd = (text: string): number | null => (text.trim() === '' ? null : Number(text));
const isUsd = (text: string): boolean => text.trim() === '' || (Number(text) >= 0 && Number(text) <= 1e6);

function Settings({ config, missing }: { config: ChatConfig | null; missing: string | null }) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const models = useQuery(modelsQuery(environment));
  const [modelId, setModelId] = useState(config?.modelId ?? '');
  const [daily, setDaily] = useState(config?.dailyCapUsd?.toString() ?? '');
  const [once, setOnce] = useState(config?.messageCapUsd?.toString() ?? '');
  const [context, setContext] = useState(String(config?.contextTokens ?? 32_000));
  const save = useApiMutation(saveChatConfigIn(environment), { touches: [CHAT_KEYS] });
  const tokens = Number(context);
  const ready = modelId !== '' && isUsd(daily) && isUsd(once) && Number.isInteger(tokens) && tokens >= 4_000;
  return (
    <Section title="Model and caps" about={missing ?? undefined}>
      <Loaded query={models} label="the models">
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-sm text-muted">
              No model is configured.{' '}
              <Link to="/settings/models" className="text-accent underline">
                Configure one
              </Link>
              , then choose it here.
            </p>
          ) : (
            <Form
              label="Settings of the assistant"
              busy={save.isPending}
              onSubmit={() =>
                save.mutate({
                  modelId,
                  dailyCapUsd: usd(daily),
                  messageCapUsd: usd(once),
                  contextTokens: tokens,
                })
              }
            >
              <SelectField
                label="Model"
                value={modelId}
                onValue={setModelId}
                disabled={!can('admin')}
                options={[
                  ...(modelId === '' ? [{ value: '', label: 'Choose a model' }] : []),
                  ...rows.map((row) => ({ value: row.id, label: `${row.name} (${row.model})` })),
                ]}
              />
              <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-1">
                <TextField
                  label="Cap a day, USD"
                  inputMode="decimal"
                  value={daily}
                  onValue={setDaily}
                  disabled={!can('admin')}
                  hint="Empty: none. UTC days."
                  error={isUsd(daily) ? undefined : 'An amount in USD.'}
                />
                <TextField
                  label="Cap an answer, USD"
                  inputMode="decimal"
                  value={once}
                  onValue={setOnce}
                  disabled={!can('admin')}
                  hint="Empty: none."
                  error={isUsd(once) ? undefined : 'An amount in USD.'}
                />
                <TextField
                  label="Context, tokens"
                  inputMode="numeric"
                  value={context}
                  onValue={setContext}
                  disabled={!can('admin')}
                  hint="What the model reads at once."
                />
              </div>
              {can('admin') && (
                <div className="flex items-center gap-2">
                  <Button look="primary" type="submit" disabled={!ready} busy={save.isPending}>
                    Save
                  </Button>
                  <ErrorLine error={save.error} />
                  {save.isSuccess && <span role="status">Saved.</span>}
                </div>
              )}
            </Form>
          )
        }
      </Loaded>
    </Section>
  );
}
