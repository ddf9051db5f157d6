import type { PlaygroundMessage } from '@candela/contract';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { type Column, isObject, readJson } from './column.ts';
import { PromptChoice } from './prompt-choice.tsx';
import { recordedIn, type RecordedResult, resultFor } from './recorded.ts';

const ROLES = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

/** One column: model, messages, tools, and what the model answered. */
export function ColumnView(props: {
  column: Column;
  title: string;
  models: readonly { id: string; name: string }[];
  /** Results of tools in the trace that the column was opened from. */
  recorded: readonly RecordedResult[];
  onChange: (next: Partial<Column>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { column, onChange } = props;
  const { messages } = column;
  const setMessage = (at: number, next: PlaygroundMessage | undefined) =>
    onChange({ messages: messages.flatMap((one, index) => (index === at ? (next ? [next] : []) : [one])) });
  return (
    <section aria-label={props.title} className="flex w-full min-w-72 flex-1 flex-col gap-2 max-sm:shrink-0">
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label="Model"
          className="min-w-40 grow"
          value={column.modelId}
          onValue={(modelId) => onChange({ modelId })}
          options={props.models.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <TextField
          label="Temperature"
          className="w-24 grow"
          value={column.temperature}
          onValue={(temperature) => onChange({ temperature })}
          inputMode="decimal"
        />
        <TextField
          label="Most tokens"
          className="w-24 grow"
          value={column.maxTokens}
          onValue={(maxTokens) => onChange({ maxTokens })}
          inputMode="numeric"
        />
        {props.onRemove && (
          <Button
            className="mb-0.5"
            aria-label={`Remove ${props.title.toLowerCase()}`}
            onClick={props.onRemove}
          >
            <X size={14} aria-hidden />
          </Button>
        )}
      </div>
      <PromptChoice column={column} onChange={onChange} />
      {messages.map((message, at) => (
        <MessageField
          key={at}
          message={message}
          onChange={(next) => setMessage(at, next)}
          onRemove={
            messages.length > 1 || column.prompt !== undefined ? () => setMessage(at, undefined) : undefined
          }
        />
      ))}
      <div className="flex flex-wrap gap-2">
        {(['system', 'user', 'assistant'] as const).map((role) => (
          <Button
            key={role}
            look="plain"
            onClick={() =>
              onChange({
                messages:
                  role === 'system' ? [{ role, text: '' }, ...messages] : [...messages, { role, text: '' }],
              })
            }
          >
            + {ROLES[role]}
          </Button>
        ))}
      </div>
      <details open={column.tools !== ''}>
        <summary className="text-sm text-muted">Tools</summary>
        <TextArea
          label="Tools (JSON)"
          rows={4}
          value={column.tools}
          onValue={(tools) => onChange({ tools })}
          hint="A list of {name, description, schema}. They are never executed."
          error={column.tools !== '' && !Array.isArray(readJson(column.tools)) ? 'A JSON list.' : undefined}
        />
      </details>
      <details open={column.schema !== ''}>
        <summary className="text-sm text-muted">Schema of the answer</summary>
        <TextArea
          label="JSON Schema"
          rows={4}
          value={column.schema}
          onValue={(schema) => onChange({ schema })}
          error={column.schema !== '' && !isObject(readJson(column.schema)) ? 'A JSON object.' : undefined}
        />
      </details>
      <div
        aria-live="polite"
        aria-label="Answer"
        role="region"
        className="min-h-24 rounded-md border border-line bg-surface p-2 whitespace-pre-wrap wrap-anywhere"
      >
        {column.answer ||
          (column.calls.length === 0 && <span className="text-muted">The answer appears here.</span>)}
        {column.calls.length > 0 && <Calls column={column} recorded={props.recorded} onChange={onChange} />}
      </div>
      <p className="text-sm text-muted empty:hidden">{column.told}</p>
      {column.failure && <ErrorLine error={new Error(column.failure)} />}
    </section>
  );
}

function MessageField(props: {
  message: PlaygroundMessage;
  onChange: (next: PlaygroundMessage) => void;
  onRemove: (() => void) | undefined;
}) {
  const { message, onChange } = props;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const text = message.role === 'tool' ? message.output : message.text;
  const name = message.role === 'tool' ? `Result of ${message.name}` : ROLES[message.role];
  return (
    <div className="relative">
      <TextArea
        label={name}
        rows={Math.min(8, Math.max(2, text.split('\n').length + Math.floor(text.length / 70)))}
        value={text}
        onValue={(next) =>
          onChange(message.role === 'tool' ? { ...message, output: next } : { ...message, text: next })
        }
      />
      {calls.map((call) => (
        <code key={call.id} className="block text-xs wrap-anywhere text-muted">
          {call.name}({JSON.stringify(call.input)})
        </code>
      ))}
      {props.onRemove && (
        <button
          type="button"
          aria-label={`Remove message: ${name}`}
          onClick={props.onRemove}
          className="absolute top-0 right-0 rounded p-1 text-muted hover:bg-hover hover:text-text"
        >
          <X size={12} aria-hidden />
        </button>
      )}
    </div>
  );
}

/** Calls of tools that wait for a result: the recorded one where there is one, else one by hand. */
function Calls(props: {
  column: Column;
  recorded: readonly RecordedResult[];
  onChange: (next: Partial<Column>) => void;
}) {
  const { column, onChange } = props;
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const known = [...props.recorded, ...recordedIn(column.messages)];
  const calls = column.calls.map((call) => {
    const found = resultFor(known, call);
    return { ...call, found, output: results[call.id] ?? found?.output ?? '' };
  });
  const answer = () =>
    onChange({
      messages: [
        ...column.messages,
        {
          role: 'assistant',
          text: column.answer,
          toolCalls: calls.map(({ id, name, input }) => ({ id, name, input })),
        },
        ...calls.map(({ id, name, output }) => ({ role: 'tool' as const, id, name, output })),
      ],
      calls: [],
      answer: '',
    });
  return (
    <>
      {calls.map(({ id, name, input, found, output }, at) => (
        <div
          key={id}
          className={at > 0 || column.answer !== '' ? 'mt-2 border-t border-line pt-2' : undefined}
        >
          <code className="text-sm">
            {name}({JSON.stringify(input)})
          </code>
          <TextArea
            label={`Result of ${name}`}
            rows={Math.min(8, Math.max(2, output.split('\n').length))}
            value={output}
            onValue={(text) => setResults((before) => ({ ...before, [id]: text }))}
            hint={
              found === undefined
                ? 'The tool is not run: write what it would give back.'
                : found.of === undefined
                  ? 'As it was recorded for the same call.'
                  : `As it was recorded for ${found.of.slice(0, 200)}.`
            }
          />
        </div>
      ))}
      <Button className="mt-2" onClick={answer}>
        Use these results in the next run
      </Button>
    </>
  );
}
