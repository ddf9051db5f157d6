import type { ModelConfig, ModelProvider } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeModelIn, createModelIn, type NewModel, secretNamesQuery } from '../../api/model-settings.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { PROVIDER_WORDS, PROVIDERS } from './model-words.ts';

const EXAMPLES: Readonly<Record<ModelProvider, string>> = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-pro',
  mistral: 'mistral-large-latest',
  'openai-compatible': 'llama3.3',
};

/** What is written, as it stands in the fields. */
interface Written {
  readonly name: string;
  readonly provider: ModelProvider;
  readonly model: string;
  readonly baseUrl: string;
  readonly allowInsecure: boolean;
  readonly secretId: string;
  readonly temperature: string;
  readonly maxOutputTokens: string;
}

const writtenOf = (model: ModelConfig | undefined): Written => ({
  name: model?.name ?? '',
  provider: model?.provider ?? 'openai',
  model: model?.model ?? '',
  baseUrl: model?.baseUrl ?? '',
  allowInsecure: model?.allowInsecure ?? false,
  secretId: model?.secretId ?? '',
  temperature: model?.temperature?.toString() ?? '',
  maxOutputTokens: String(model?.maxOutputTokens ?? 1_024),
});

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const bodyOf = (written: Written) =>
  ({
    name: written.name.trim(),
    provider: written.provider,
    model: written.model.trim(),
    baseUrl: orNull(written.baseUrl),
    allowInsecure: written.allowInsecure,
    secretId: orNull(written.secretId),
    temperature: written.temperature.trim() === '' ? null : Number(written.temperature),
    maxOutputTokens: Number(written.maxOutputTokens),
  }) satisfies NewModel;

/** A new model, or another way to ask one that is there. */
export function ModelDialog({ model, onClose }: { model?: ModelConfig; onClose: () => void }) {
  const { environment } = useShell();
  const [written, setWritten] = useState(() => writtenOf(model));
  const set = (change: Partial<Written>) => setWritten({ ...written, ...change });
  const about = { touches: [['models']], onDone: onClose };
  const make = useApiMutation(createModelIn(environment), about);
  const change = useApiMutation(changeModelIn(environment), about);
  const save = () => {
    const body = bodyOf(written);
    if (model === undefined) make.mutate(body);
    else change.mutate({ id: model.id, change: { version: model.version, ...body } });
  };
  const own = written.provider === 'openai-compatible';
  const ready =
    written.name.trim() !== '' && written.model.trim() !== '' && (!own || written.baseUrl.trim() !== '');
  return (
    <FormDialog
      title={model === undefined ? 'New model' : `Change ${model.name}`}
      action={model === undefined ? 'Add the model' : 'Change'}
      wide
      busy={make.isPending || change.isPending}
      error={make.error ?? change.error}
      ready={ready}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={100}
        placeholder="House model"
        value={written.name}
        onValue={(name) => set({ name })}
      />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <SelectField
          label="Provider"
          value={written.provider}
          onValue={(value) => {
            const provider = PROVIDERS.find((id) => id === value);
            if (provider !== undefined) set({ provider });
          }}
          options={PROVIDERS.map((value) => ({ value, label: PROVIDER_WORDS[value] }))}
        />
        <TextField
          label="Model"
          required
          maxLength={200}
          spellCheck={false}
          autoComplete="off"
          placeholder={EXAMPLES[written.provider]}
          value={written.model}
          onValue={(name) => set({ model: name })}
          hint="As the provider spells it."
        />
      </div>
      <TextField
        label="Base URL"
        type="url"
        required={own}
        maxLength={2_048}
        placeholder={own ? 'http://127.0.0.1:11434/v1' : "Left empty: the provider's own address"}
        value={written.baseUrl}
        onValue={(baseUrl) => set({ baseUrl })}
        {...(own
          ? { hint: 'Ollama, vLLM, LM Studio, llama.cpp, LiteLLM and others that speak the same.' }
          : {})}
      />
      <KeyField own={own} value={written.secretId} onValue={(secretId) => set({ secretId })} />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label="Temperature"
          type="number"
          min={0}
          max={2}
          step="any"
          value={written.temperature}
          onValue={(temperature) => set({ temperature })}
          hint="Left empty: the provider's. Some models take no other."
        />
        <TextField
          label="Most output tokens"
          type="number"
          required
          min={1}
          max={32_768}
          value={written.maxOutputTokens}
          onValue={(maxOutputTokens) => set({ maxOutputTokens })}
          hint="Reasoning counts too."
        />
      </div>
      {written.baseUrl.trim() !== '' && (
        <CheckField
          label="Allow an insecure connection"
          hint="Plain http to another machine. The key and the prompts can then be read on the way."
          checked={written.allowInsecure}
          onChange={(allowInsecure) => set({ allowInsecure })}
        />
      )}
    </FormDialog>
  );
}

function KeyField(props: { own: boolean; value: string; onValue: (value: string) => void }) {
  const { own, value, onValue } = props;
  const { environment } = useShell();
  const { data: secrets = [] } = useQuery(secretNamesQuery(environment));
  const known = value === '' || secrets.some(({ id }) => id === value);
  return (
    <SelectField
      label="API key"
      value={value}
      onValue={onValue}
      options={[
        { value: '', label: own ? 'None: the server wants none' : 'Choose a secret of the vault' },
        ...(known ? [] : [{ value, label: 'A secret that is not in the vault' }]),
        ...secrets.map(({ id, key }) => ({ value: id, label: key })),
      ]}
      hint={
        secrets.length === 0
          ? 'The vault has no secret yet. Put the key there first, under Build, Vault.'
          : 'A secret of the vault. The model keeps its name, never its value.'
      }
    />
  );
}
