import type { PromptModelSettings } from '@candela/contract';
import { TextArea, TextField } from '../../ui/field.tsx';
import { type DraftForm, jsonTrouble } from './chat-form.ts';

type Numeric = 'temperature' | 'topP' | 'maxTokens' | 'frequencyPenalty' | 'presencePenalty' | 'seed';
const NUMBERS: readonly { readonly key: Numeric; readonly label: string; readonly step: string }[] = [
  { key: 'temperature', label: 'Temperature', step: '0.1' },
  { key: 'topP', label: 'Top p', step: '0.05' },
  { key: 'maxTokens', label: 'Most tokens', step: '1' },
  { key: 'frequencyPenalty', label: 'Frequency penalty', step: '0.1' },
  { key: 'presencePenalty', label: 'Presence penalty', step: '0.1' },
  { key: 'seed', label: 'Seed', step: '1' },
];

const TEXTS = [
  ['provider', 'Provider', 100],
  ['reasoningEffort', 'Reasoning effort', 20],
] as const;

/** What an application passes to the model beside the prompt: settings, tools, the form of the answer. */
export default function CallFields(props: {
  form: DraftForm;
  /** Absent: they can be read only. */
  onChange: ((next: Partial<DraftForm>) => void) | undefined;
}) {
  const { form, onChange } = props;
  const { settings } = form;
  const disabled = onChange === undefined;
  const set = <Key extends keyof PromptModelSettings>(
    key: Key,
    value: PromptModelSettings[Key] | undefined,
  ) => {
    const { [key]: _, ...rest } = settings;
    onChange?.({ settings: value === undefined ? rest : { ...rest, [key]: value } });
  };
  const said = Object.keys(settings).length > 0 || form.tools !== '' || form.format !== '';
  return (
    <details open={said} className="shrink-0 rounded-md border border-line">
      <summary className="px-3 py-1.5">Model settings, tools, response format</summary>
      <div className="flex flex-col gap-3 p-3 pt-1">
        <p className="text-sm text-muted">Applications get them with the prompt and pass them on.</p>
        <div className="flex flex-wrap gap-3">
          <TextField
            label="Name of the model"
            className="min-w-48 grow"
            disabled={disabled}
            maxLength={200}
            value={settings.model ?? ''}
            onValue={(model) => set('model', model.trim() === '' ? undefined : model)}
          />
          {NUMBERS.map(({ key, label, step }) => (
            <TextField
              key={key}
              label={label}
              className="w-32"
              type="number"
              step={step}
              disabled={disabled}
              value={settings[key] === undefined ? '' : String(settings[key])}
              onValue={(text) =>
                set(key, text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text))
              }
            />
          ))}
        </div>
        <div className="flex flex-wrap gap-3">
          {TEXTS.map(([key, label, most]) => (
            <TextField
              key={key}
              label={label}
              className="w-48"
              disabled={disabled}
              maxLength={most}
              value={settings[key] ?? ''}
              onValue={(text) => set(key, text === '' ? undefined : text)}
            />
          ))}
          <TextArea
            label="Stop sequences"
            rows={Math.max(1, settings.stop?.length ?? 0)}
            className="min-w-48 grow"
            disabled={disabled}
            spellCheck={false}
            value={settings.stop?.join('\n') ?? ''}
            onValue={(text) => set('stop', text === '' ? undefined : text.split('\n'))}
            hint="One a line."
          />
        </div>
        <TextArea
          label="Tools (JSON)"
          rows={form.tools === '' ? 2 : 8}
          disabled={disabled}
          spellCheck={false}
          value={form.tools}
          onValue={(tools) => onChange?.({ tools })}
          hint="A list of {name, description, parameters}; parameters are a JSON Schema."
          error={jsonTrouble(form.tools, 'list')}
        />
        <TextArea
          label="Response format (JSON)"
          rows={form.format === '' ? 2 : 6}
          disabled={disabled}
          spellCheck={false}
          value={form.format}
          onValue={(format) => onChange?.({ format })}
          hint='{"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "name", "schema"}.'
          error={jsonTrouble(form.format, 'object')}
        />
      </div>
    </details>
  );
}
