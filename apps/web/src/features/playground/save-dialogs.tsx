import type { PromptMessage } from '@candela/contract/messages';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import {
  addDatasetItems,
  createExperiment,
  datasetsQuery,
  evaluatorsQuery,
  JUDGE_KEY,
} from '../../api/evaluations.ts';
import {
  createPromptIn,
  PROMPT_KEYS,
  promptsQuery,
  promptVersionQuery,
  saveDraftIn,
} from '../../api/prompts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckList, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { NAME, NAME_RULE } from '../prompts/new-prompt.tsx';
import { useShell } from '../shell/shell-search.ts';
import { chatOf, type Column, isObject, messagesOfVersion, plainText, readJson } from './column.ts';

const ChatEditor = lazy(() => import('../prompts/chat-editor.tsx'));

interface DialogProps {
  column: Column;
  onDone: (said: string) => void;
  onClose: () => void;
}

/** What a column sets beside its messages, as a version of a managed prompt keeps it. */
function callOf({ tools, schema, temperature, maxTokens }: Column) {
  const offered = readJson(tools || '[]');
  const form = readJson(schema || 'null');
  const settings = {
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { maxTokens: Number(maxTokens) }),
  };
  return {
    ...(Object.keys(settings).length === 0 ? {} : { modelSettings: settings }),
    ...(Array.isArray(offered) && offered.length > 0
      ? {
          tools: (offered as { name: string; description?: string; schema?: Record<string, unknown> }[]).map(
            ({ name, description, schema: parameters }) => ({
              name,
              ...(description === undefined ? {} : { description }),
              ...(parameters === undefined ? {} : { parameters }),
            }),
          ),
        }
      : {}),
    ...(isObject(form)
      ? { responseFormat: { type: 'json_schema' as const, name: 'answer', schema: form } }
      : {}),
  };
}

/** The messages of a column with those of its managed prompt before them. */
function useWholeChat(column: Column): { messages: readonly PromptMessage[] | undefined; error: unknown } {
  const { environment } = useShell();
  const { prompt } = column;
  const query = useQuery({
    ...promptVersionQuery(environment, prompt?.id ?? '', prompt?.version ?? ''),
    enabled: prompt !== undefined,
  });
  const own = chatOf(column);
  if (prompt === undefined) return { messages: own, error: null };
  return {
    messages: query.data && [...chatOf({ messages: messagesOfVersion(query.data) }), ...own],
    error: query.error,
  };
}

/** A column's messages, settings, tools and form of the answer as a draft: of a new managed prompt, or of one there is. */
export function DraftDialog({ column, onDone, onClose }: DialogProps) {
  const { environment } = useShell();
  const prompts = useInfiniteQuery(promptsQuery(environment, { q: '', tag: '' }));
  const [id, setId] = useState(column.prompt?.id ?? '');
  const [name, setName] = useState('');
  const [changed, setChanged] = useState<readonly PromptMessage[]>();
  const whole = useWholeChat(column);
  const messages = changed ?? whole.messages ?? [];
  const all = (prompts.data?.pages ?? []).flatMap(({ data }) => data);
  const leftOut = column.messages.length - chatOf(column).length;
  const make = useApiMutation(
    () => {
      const text = plainText(messages);
      const said = text === undefined ? { messages: [...messages] } : { prompt: text };
      const body = { ...said, ...callOf(column) };
      return id === ''
        ? createPromptIn(environment)({ name, ...body })
        : saveDraftIn(environment)({ id, ...body });
    },
    { touches: [PROMPT_KEYS], onDone: (prompt) => onDone(`Saved as the draft of ${prompt.name}.`) },
  );
  return (
    <FormDialog
      title="Save as a draft"
      action="Save"
      wide
      busy={make.isPending}
      error={make.error ?? whole.error}
      ready={(id !== '' || NAME.test(name)) && messages.some(({ content }) => content.trim() !== '')}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <SelectField
        label="Draft of"
        value={id}
        onValue={setId}
        options={[
          { value: '', label: 'A new prompt' },
          ...all.map((one) => ({ value: one.id, label: one.name })),
        ]}
        hint={id === '' ? undefined : 'A draft that this prompt has already is replaced.'}
      />
      {id === '' && (
        <TextField
          label="Name of the prompt"
          value={name}
          onValue={setName}
          required
          autoFocus
          maxLength={100}
          error={name !== '' && !NAME.test(name) ? NAME_RULE : undefined}
        />
      )}
      <Suspense fallback={<SkeletonRows rows={3} label="Loading the messages" />}>
        <ChatEditor messages={messages} onMessages={setChanged} />
      </Suspense>
      {leftOut > 0 && (
        <p className="text-sm text-muted">Calls and results of tools are left out of the draft.</p>
      )}
    </FormDialog>
  );
}

function DatasetField({ value, onValue }: { value: string; onValue: (id: string) => void }) {
  const { environment } = useShell();
  const { data } = useQuery(datasetsQuery(environment));
  return (
    <SelectField
      label="Dataset"
      value={value}
      onValue={onValue}
      options={[
        { value: '', label: data?.length === 0 ? 'There is none yet' : 'Choose …' },
        ...(data ?? []).map((one) => ({ value: one.id, label: `${one.name} (${one.items} items)` })),
      ]}
    />
  );
}

/** The variables, or the last message, as an item; the answer is what is expected of it. */
export function ItemDialog(props: DialogProps & { variables: Readonly<Record<string, unknown>> }) {
  const { environment } = useShell();
  const { column, variables, onDone, onClose } = props;
  const [id, setId] = useState('');
  const [expected, setExpected] = useState(column.answer);
  const asked = chatOf(column);
  const input = Object.keys(variables).length > 0 ? variables : (plainText(asked) ?? { messages: asked });
  const add = useApiMutation(
    () =>
      addDatasetItems(environment, id, {
        items: [{ input, ...(expected === '' ? {} : { expectedOutput: expected }) }],
      }),
    { touches: [JUDGE_KEY], onDone: ({ revision }) => onDone(`Added: revision ${revision}.`) },
  );
  return (
    <FormDialog
      title="Add to a dataset"
      action="Add"
      busy={add.isPending}
      error={add.error}
      ready={id !== ''}
      onSubmit={() => add.mutate(undefined)}
      onClose={onClose}
    >
      <DatasetField value={id} onValue={setId} />
      <TextArea label="Expected" value={expected} onValue={setExpected} rows={5} />
    </FormDialog>
  );
}

/** What an experiment runs: a prompt version where the column is nothing else, else its messages. */
function useTarget(column: Column) {
  const { environment } = useShell();
  const { prompt, modelId } = column;
  const prompts = useInfiniteQuery(promptsQuery(environment, { q: '', tag: '' }));
  const { messages, error } = useWholeChat(column);
  if (prompt !== undefined && column.messages.length === 0) {
    const known = prompts.data?.pages.flatMap(({ data }) => data).find(({ id }) => id === prompt.id);
    const { version } = prompt;
    return { target: { kind: 'prompt' as const, prompt: known?.name ?? prompt.id, version, modelId }, error };
  }
  if (messages === undefined || messages.length === 0) return { target: undefined, error };
  const text = plainText(messages);
  const target =
    text === undefined
      ? { kind: 'messages' as const, messages: [...messages], modelId }
      : { kind: 'template' as const, text, modelId };
  return { target, error };
}

/** The column as an experiment on a dataset. */
export function ExperimentDialog({ column, onClose }: Omit<DialogProps, 'onDone'>) {
  const { environment } = useShell();
  const navigate = useNavigate();
  const evaluators = useQuery(evaluatorsQuery(environment));
  const { target, error } = useTarget(column);
  const [dataset, setDataset] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const run = useApiMutation(
    () =>
      createExperiment(environment, {
        dataset,
        evaluators: [...chosen],
        // The form is not ready without one.
        target: target ?? { kind: 'external' },
      }),
    {
      touches: [JUDGE_KEY],
      onDone: ({ data }) =>
        void navigate({ to: '/evaluations', search: { tab: 'experiments', open: data.id } }),
    },
  );
  return (
    <FormDialog
      title="Run on a dataset"
      action="Run"
      busy={run.isPending}
      error={run.error ?? error}
      ready={dataset !== '' && target !== undefined}
      onSubmit={() => run.mutate(undefined)}
      onClose={onClose}
    >
      <DatasetField value={dataset} onValue={setDataset} />
      <CheckList
        label="Evaluators"
        options={(evaluators.data?.data ?? []).map(({ id, label }) => ({ value: id, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
