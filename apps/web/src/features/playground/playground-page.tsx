import type { PlaygroundMessage, SpanDetail } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Play, Plus, Square, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { playgroundEvents } from '../../api/evaluations.ts';
import { modelsQuery } from '../../api/models.ts';
import { spanQuery } from '../../api/trace.ts';
import { formatCost, formatDuration } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Notice } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';

const route = getRouteApi('/playground');
const MOST_COLUMNS = 6;

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
interface Column {
  readonly key: number;
  readonly modelId: string;
  readonly system: string;
  readonly user: string;
  readonly tools: string;
  readonly temperature: string;
  /** Messages after those of the boxes: answers of the model and of tools. */
  readonly more: readonly PlaygroundMessage[];
  readonly answer: string;
  readonly calls: readonly Call[];
  readonly told: string;
}

const blank = (key: number, modelId = ''): Column => ({
  key,
  modelId,
  system: '',
  user: 'Answer in one sentence: {{question}}',
  tools: '',
  temperature: '',
  more: [],
  answer: '',
  calls: [],
  told: '',
});

const textIn = (messages: SpanDetail['conversation']['input'], role: string) =>
  messages
    .filter((message) => message.role === role)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n\n');

/** A call of a model as a column: its messages and tools. */
function columnOf(span: SpanDetail, key: number, models: readonly { id: string; model: string }[]): Column {
  const { input, tools } = span.conversation;
  const model = models.find((one) => one.model === (span.requestModel ?? span.responseModel));
  return {
    ...blank(key, model?.id ?? models[0]?.id ?? ''),
    system: textIn(input, 'system'),
    user: textIn(input, 'user'),
    tools:
      tools.length === 0
        ? ''
        : JSON.stringify(
            tools.map(({ name, description, parameters }) => ({
              name,
              description,
              schema: readJson(parameters) ?? { type: 'object' },
            })),
            null,
            2,
          ),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The same variables through up to six models and prompts, side by side. */
export function PlaygroundPage() {
  const { environment } = useShell();
  const search = route.useSearch();
  const models = useQuery(modelsQuery(environment));
  const span = useQuery({
    ...spanQuery(search.trace ?? '', search.span ?? '', undefined),
    enabled: search.trace !== undefined && search.span !== undefined,
  });
  const [columns, setColumns] = useState<readonly Column[]>([blank(0)]);
  const [variables, setVariables] = useState('{"question": "Why is the sky blue?"}');
  const [failure, setFailure] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  const [busy, setBusy] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const opened = span.data;
  const known = models.data;
  useEffect(() => {
    if (opened !== undefined && known !== undefined) {
      setColumns([columnOf(opened, 0, known)]);
      setVariables('{}');
    }
  }, [opened, known]);
  const change = (key: number, next: Partial<Column>) =>
    setColumns((before) => before.map((one) => (one.key === key ? { ...one, ...next } : one)));

  async function run(): Promise<void> {
    const parsed = readJson(variables);
    const stop = new AbortController();
    running.current = stop;
    setBusy(true);
    setFailure(undefined);
    const asked = columns;
    setColumns((before) => before.map((one) => ({ ...one, answer: '', calls: [], told: '' })));
    const patch = (at: number, how: (one: Column) => Partial<Column>) => {
      const key = asked[at]?.key;
      setColumns((before) => before.map((one) => (one.key === key ? { ...one, ...how(one) } : one)));
    };
    try {
      const body = {
        variables: parsed as Record<string, unknown>,
        columns: asked.map(({ modelId, system, user, tools, temperature, more }) => ({
          modelId: modelId || (known?.[0]?.id ?? ''),
          messages: [
            ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
            { role: 'user' as const, text: user },
            ...more,
          ],
          tools: (readJson(tools || '[]') ?? []) as { name: string }[],
          ...(temperature === '' ? {} : { temperature: Number(temperature) }),
        })),
      };
      for await (const told of playgroundEvents(environment, body, stop.signal)) {
        if (told.event === 'delta') patch(told.column, ({ answer }) => ({ answer: answer + told.text }));
        else if (told.event === 'tool') patch(told.column, ({ calls }) => ({ calls: [...calls, told] }));
        else if (told.event === 'failure') patch(told.column, () => ({ told: told.err }));
        else {
          const facts = [
            told.firstTokenMs === null ? '' : `first token ${formatDuration(told.firstTokenMs)}`,
            formatDuration(told.durationMs),
            formatCost(told.costUsd),
            told.finish,
          ];
          patch(told.column, () => ({ told: facts.filter((fact) => fact !== '').join(' · ') }));
        }
      }
    } catch (thrown) {
      if (!stop.signal.aborted) setFailure(thrown);
    } finally {
      setBusy(false);
    }
  }

  const isReady = typeof readJson(variables) === 'object' && (known?.length ?? 0) > 0;
  return (
    <div className={PAGE_COLUMN}>
      <title>Playground · Candela</title>
      <h1 className="sr-only">Playground</h1>
      <div className="flex shrink-0 flex-wrap items-end gap-3 border-b border-line p-3">
        <TextArea
          label="Variables (JSON)"
          className="grow"
          rows={2}
          value={variables}
          onValue={setVariables}
          error={readJson(variables) === undefined ? 'This is no JSON.' : undefined}
        />
        <Button
          disabled={columns.length >= MOST_COLUMNS}
          onClick={() =>
            setColumns((before) => [
              ...before,
              {
                ...(before.at(-1) ?? blank(0)),
                key: Math.max(...before.map(({ key }) => key)) + 1,
                answer: '',
                told: '',
              },
            ])
          }
        >
          <Plus size={14} aria-hidden />
          Column
        </Button>
        {busy ? (
          <Button onClick={() => running.current?.abort()}>
            <Square size={14} aria-hidden />
            Stop
          </Button>
        ) : (
          <Button look="primary" disabled={!isReady} onClick={() => void run()}>
            <Play size={14} aria-hidden />
            Run
          </Button>
        )}
      </div>
      <ErrorLine error={failure} className="p-3" />
      {known?.length === 0 && (
        <Notice title="No model is configured">Add one in the settings under Models, then come back.</Notice>
      )}
      <div className="flex min-h-0 grow gap-3 overflow-auto p-3">
        {columns.map((one, at) => (
          <ColumnView
            key={one.key}
            column={one}
            title={`Column ${at + 1}`}
            models={known ?? []}
            onChange={(next) => change(one.key, next)}
            onRemove={
              columns.length === 1
                ? undefined
                : () => setColumns((before) => before.filter(({ key }) => key !== one.key))
            }
          />
        ))}
      </div>
    </div>
  );
}

function ColumnView(props: {
  column: Column;
  title: string;
  models: readonly { id: string; name: string }[];
  onChange: (next: Partial<Column>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { column, onChange } = props;
  const [results, setResults] = useState<Record<string, string>>({});
  /** The answers given by hand, as messages of the next run. */
  const answerTools = () =>
    onChange({
      more: [
        ...column.more,
        {
          role: 'assistant',
          text: column.answer,
          toolCalls: column.calls.map(({ id, name, input }) => ({ id, name, input })),
        },
        ...column.calls.map(({ id, name }) => ({
          role: 'tool' as const,
          id,
          name,
          output: results[id] ?? '',
        })),
      ],
      calls: [],
      answer: '',
    });
  return (
    <section aria-label={props.title} className="flex min-w-80 flex-1 flex-col gap-2">
      <div className="flex items-end gap-2">
        <SelectField
          label="Model"
          className="grow"
          value={column.modelId}
          onValue={(modelId) => onChange({ modelId })}
          options={props.models.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <TextField
          label="Temperature"
          className="w-24"
          value={column.temperature}
          onValue={(temperature) => onChange({ temperature })}
          inputMode="decimal"
        />
        {props.onRemove && (
          <Button aria-label={`Remove ${props.title.toLowerCase()}`} onClick={props.onRemove}>
            <X size={14} aria-hidden />
          </Button>
        )}
      </div>
      <TextArea label="System" rows={2} value={column.system} onValue={(system) => onChange({ system })} />
      <TextArea label="User" rows={4} value={column.user} onValue={(user) => onChange({ user })} />
      <TextArea
        label="Tools (JSON)"
        rows={2}
        value={column.tools}
        onValue={(tools) => onChange({ tools })}
        hint="A list of {name, description, schema}. They are never executed."
      />
      {column.more.length > 0 && (
        <p className="text-xs text-muted">
          {column.more.length} more messages follow.{' '}
          <button type="button" className="underline" onClick={() => onChange({ more: [] })}>
            Start over
          </button>
        </p>
      )}
      <div
        aria-live="polite"
        className="min-h-24 rounded-md border border-line p-2 text-sm whitespace-pre-wrap wrap-anywhere"
      >
        {column.answer || <span className="text-muted">The answer appears here.</span>}
        {column.calls.map(({ id, name, input }) => (
          <div key={id} className="mt-2 border-t border-line pt-2">
            <code>
              {name}({JSON.stringify(input)})
            </code>
            <TextField
              label={`Result of ${name}`}
              value={results[id] ?? ''}
              onValue={(text) => setResults((before) => ({ ...before, [id]: text }))}
            />
          </div>
        ))}
        {column.calls.length > 0 && <Button onClick={answerTools}>Use these results in the next run</Button>}
      </div>
      <p className="text-xs text-muted">{column.told}</p>
    </section>
  );
}
