import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  addDatasetItems,
  createExperiment,
  datasetsQuery,
  evaluatorsQuery,
  JUDGE_KEY,
} from '../../api/evaluations.ts';
import { createPromptIn, PROMPT_KEYS } from '../../api/prompts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckList, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { type Column, templateOf } from './column.ts';

interface DialogProps {
  column: Column;
  onDone: (said: string) => void;
  onClose: () => void;
}

/** A column's texts as the draft of a new managed prompt. */
export function DraftDialog({ column, onDone, onClose }: DialogProps) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [text, setText] = useState(templateOf(column));
  const make = useApiMutation(
    () =>
      createPromptIn(environment)({
        name,
        prompt: text,
        metaProperties: column.temperature === '' ? {} : { temperature: Number(column.temperature) },
      }),
    { touches: [PROMPT_KEYS], onDone: () => onDone(`Saved as the draft of ${name}.`) },
  );
  return (
    <FormDialog
      title="Save as a draft"
      action="Save"
      wide
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== '' && text.trim() !== ''}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name of the prompt" value={name} onValue={setName} required autoFocus />
      <TextArea label="Text" value={text} onValue={setText} rows={8} />
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
  const input = Object.keys(variables).length > 0 ? variables : templateOf(column);
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

/** The column as an experiment on a dataset. */
export function ExperimentDialog({ column, onClose }: Omit<DialogProps, 'onDone'>) {
  const { environment } = useShell();
  const navigate = useNavigate();
  const evaluators = useQuery(evaluatorsQuery(environment));
  const [dataset, setDataset] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const run = useApiMutation(
    () =>
      createExperiment(environment, {
        dataset,
        evaluators: [...chosen],
        target: { kind: 'template', text: templateOf(column), modelId: column.modelId },
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
      error={run.error}
      ready={dataset !== ''}
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
