import type { ExperimentView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import {
  comparisonQuery,
  createExperiment,
  datasetsQuery,
  deleteExperiment,
  evaluatorsQuery,
  experimentItemsQuery,
  experimentsQuery,
  JUDGE_KEY,
  resumeExperiment,
} from '../../api/evaluations.ts';
import { modelsQuery } from '../../api/models.ts';
import { DASH, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { CheckList, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import type { EvaluationsSearch } from './evaluations-search.ts';
import { PassRate } from './overview.tsx';
import { scoreText, Verdict } from './score-list.tsx';
import { valueText } from './value-text.ts';

const TONES = { running: 'accent', done: 'ok', paused: 'warn' } as const;

/** Experiments with their figures; two of one dataset are compared. */
export function Experiments(props: {
  search: EvaluationsSearch;
  mayChange: boolean;
  onChange: (next: EvaluationsSearch) => void;
}) {
  const { environment } = useShell();
  const query = useQuery(experimentsQuery(environment));
  const [making, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<ExperimentView>();
  const remove = useApiMutation((id: string) => deleteExperiment(environment, id), {
    touches: [JUDGE_KEY],
    onDone: () => setLeaving(undefined),
  });
  if (query.isPending) return <SkeletonRows rows={4} label="Loading the experiments" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data ?? [];
  const { open: openId, with: otherId } = props.search;
  const open = rows.find(({ id }) => id === openId);
  const others = rows.filter(({ id, datasetId }) => id !== open?.id && datasetId === open?.datasetId);
  return (
    <div className="flex flex-col gap-3">
      {props.mayChange && (
        <Button look="primary" className="self-end" onClick={() => setMaking(true)}>
          <Plus size={14} aria-hidden />
          New experiment
        </Button>
      )}
      {rows.length === 0 ? (
        <Notice title="No experiments yet">
          An experiment runs a dataset through a prompt and model, or takes the outputs of your application,
          and judges them.
        </Notice>
      ) : (
        <Table
          label="Experiments"
          walked
          rows={rows}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            {
              label: 'Experiment',
              cell: (row) => (
                <button
                  type="button"
                  className="hover:underline"
                  aria-expanded={row.id === open?.id}
                  onClick={() => props.onChange({ tab: 'experiments', open: row.id })}
                >
                  {row.name}
                </button>
              ),
            },
            { label: 'Dataset', cell: ({ dataset, revision }) => `${dataset} · r${revision}` },
            { label: 'Target', cell: ({ target }) => targetText(target) },
            { label: 'State', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
            {
              label: 'Items',
              align: 'end',
              cell: ({ counts }) =>
                `${counts.done} of ${counts.total}${counts.failed > 0 ? `, ${counts.failed} failed` : ''}`,
            },
            { label: 'Cost', align: 'end', cell: ({ costUsd }) => formatCost(costUsd) },
            { label: 'Created', cell: ({ createdAt }) => <When time={createdAt} /> },
            {
              label: '',
              align: 'end',
              cell: (row) => props.mayChange && <Button onClick={() => setLeaving(row)}>Delete</Button>,
            },
          ]}
        />
      )}
      {open && (
        <>
          {props.mayChange && (open.status === 'paused' || open.counts.failed > 0) && (
            <Resume key={open.id} experiment={open} />
          )}
          <SelectField
            label="Compare with"
            className="w-72"
            value={otherId ?? ''}
            onValue={(value) =>
              props.onChange({ tab: 'experiments', open: open.id, ...(value === '' ? {} : { with: value }) })
            }
            options={[
              { value: '', label: 'nothing' },
              ...others.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          {otherId === undefined ? (
            <Results experiment={open} />
          ) : (
            <Comparison id={open.id} other={otherId} />
          )}
        </>
      )}
      {leaving && (
        <ConfirmDialog
          title={`Delete ${leaving.name}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          Its outputs and verdicts go with it; what waits is not run.
        </ConfirmDialog>
      )}
      {making && <NewExperiment onClose={() => setMaking(false)} />}
    </div>
  );
}

/** Runs what failed and what a reached cap holds back once more. */
function Resume({ experiment }: { experiment: ExperimentView }) {
  const { environment } = useShell();
  const [cap, setCap] = useState(experiment.capUsd === null ? '' : String(experiment.capUsd));
  const { status, counts } = experiment;
  const again = useApiMutation(
    () => resumeExperiment(environment, experiment.id, { capUsd: cap.trim() === '' ? null : Number(cap) }),
    { touches: [JUDGE_KEY] },
  );
  return (
    <section aria-label="Resume" className="flex flex-wrap items-end gap-3 rounded-md border border-line p-3">
      <p className="min-w-48 grow self-center text-sm">
        {status === 'paused'
          ? `The cap is reached: ${counts.waiting} items wait. Raise it to go on.`
          : `${counts.failed} items failed. They can be run once more; what is done stays.`}
      </p>
      {experiment.target.kind !== 'external' && (
        <TextField
          label="At most US dollars"
          className="w-40"
          value={cap}
          onValue={setCap}
          inputMode="decimal"
        />
      )}
      <Button
        busy={again.isPending}
        disabled={cap.trim() !== '' && !(Number(cap) >= 0)}
        onClick={() => again.mutate(undefined)}
      >
        Run them again
      </Button>
      <ErrorLine error={again.error} />
    </section>
  );
}

const targetText = (target: ExperimentView['target']): string =>
  target.kind === 'external'
    ? 'application'
    : target.kind === 'prompt'
      ? `${target.prompt} ${target.version}`
      : target.kind;

function Results({ experiment }: { experiment: ExperimentView }) {
  const { environment } = useShell();
  const items = useQuery(experimentItemsQuery(environment, experiment.id));
  return (
    <section aria-label={`Results of ${experiment.name}`} className="flex flex-col gap-3">
      <Table
        label="By evaluator"
        rows={experiment.results}
        keyOf={({ evaluator }) => evaluator}
        empty="No evaluators."
        columns={[
          { label: 'Evaluator', cell: ({ evaluator }) => evaluator },
          { label: 'Judged', align: 'end', cell: ({ judged, of }) => `${judged} of ${of}` },
          {
            label: 'Pass rate',
            cell: (row) => <PassRate {...row} enough={row.judged >= 20} count={row.judged} />,
          },
          { label: 'Mean', align: 'end', cell: ({ mean }) => scoreText(mean) },
        ]}
      />
      <Table
        label="Items"
        rows={items.data ?? []}
        keyOf={({ id }) => id}
        empty="No items."
        columns={[
          { label: 'Input', cell: ({ input }) => <Cell text={valueText(input)} /> },
          { label: 'Output', cell: ({ output, error }) => <Cell text={error ?? output ?? DASH} /> },
          ...experiment.evaluators.map((evaluator) => ({
            label: evaluator,
            cell: ({ scores }: NonNullable<typeof items.data>[number]) => {
              const score = scores[evaluator];
              return score === undefined ? (
                DASH
              ) : (
                <span title={score.explanation}>
                  {score.state === 'scored' ? <Verdict verdict={score.verdict} /> : score.state}{' '}
                  {score.value !== null && scoreText(score.value)}
                </span>
              );
            },
          })),
          { label: 'Duration', align: 'end' as const, cell: ({ durationMs }) => formatDuration(durationMs) },
        ]}
      />
    </section>
  );
}

const Cell = ({ text }: { text: string }) => (
  <span className="line-clamp-3 max-w-md min-w-40 whitespace-normal wrap-anywhere">{text}</span>
);

function Comparison({ id, other }: { id: string; other: string }) {
  const { environment } = useShell();
  const query = useQuery(comparisonQuery(environment, id, other));
  if (query.isPending) return <SkeletonRows rows={3} label="Comparing" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <section aria-label="Comparison" className="flex flex-col gap-3">
      <Table
        label="By evaluator"
        rows={query.data?.evaluators ?? []}
        keyOf={({ evaluator }) => evaluator}
        empty="The two share no evaluator."
        columns={[
          { label: 'Evaluator', cell: ({ evaluator }) => evaluator },
          { label: 'Judged in both', align: 'end', cell: ({ pairs, of }) => `${pairs} of ${of}` },
          { label: 'Worse', align: 'end', cell: ({ worse }) => formatCount(worse) },
          { label: 'Better', align: 'end', cell: ({ better }) => formatCount(better) },
          {
            label: 'p (McNemar)',
            align: 'end',
            cell: ({ p }) => (p === null ? 'too few pairs' : p.toPrecision(2)),
          },
          {
            label: 'Difference of the mean',
            align: 'end',
            cell: ({ difference }) =>
              difference === null
                ? DASH
                : `${difference.mean.toFixed(3)} (${difference.low.toFixed(3)} to ${difference.high.toFixed(3)})`,
          },
        ]}
      />
      <Table
        label="Changed items"
        rows={query.data?.items ?? []}
        keyOf={(row) => `${row.id} ${row.evaluator}`}
        empty="No verdict changed."
        columns={[
          {
            label: 'Change',
            cell: ({ change }) => (
              <Badge tone={change === 'worse' ? 'danger' : change === 'better' ? 'ok' : 'plain'}>
                {change}
              </Badge>
            ),
          },
          { label: 'Evaluator', cell: ({ evaluator }) => evaluator },
          { label: 'Input', cell: ({ input }) => <Cell text={valueText(input)} /> },
          { label: 'Before', cell: ({ outputBefore }) => <Cell text={outputBefore ?? DASH} /> },
          { label: 'After', cell: ({ outputAfter }) => <Cell text={outputAfter ?? DASH} /> },
        ]}
      />
    </section>
  );
}

function NewExperiment({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const datasets = useQuery(datasetsQuery(environment));
  const models = useQuery(modelsQuery(environment));
  const evaluators = useQuery(evaluatorsQuery(environment));
  const [form, setForm] = useState({
    name: '',
    dataset: '',
    kind: 'template',
    prompt: '',
    version: 'latest',
    text: '{{input}}',
    modelId: '',
    cap: '',
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const set = (key: keyof typeof form) => (value: string) =>
    setForm((before) => ({ ...before, [key]: value }));
  const make = useApiMutation(
    () => {
      const { modelId, prompt, version, text } = form;
      return createExperiment(environment, {
        ...(form.name.trim() === '' ? {} : { name: form.name }),
        dataset: form.dataset,
        evaluators: [...chosen],
        capUsd: form.cap.trim() === '' ? null : Number(form.cap),
        target:
          form.kind === 'external'
            ? { kind: 'external' }
            : form.kind === 'prompt'
              ? { kind: 'prompt', prompt, version, modelId }
              : { kind: 'template', text, modelId },
      });
    },
    { touches: [JUDGE_KEY], onDone: onClose },
  );
  return (
    <FormDialog
      title="New experiment"
      action="Run"
      wide
      busy={make.isPending}
      error={make.error}
      ready={form.dataset !== '' && (form.kind === 'external' || form.modelId !== '')}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" value={form.name} onValue={set('name')} hint="Empty: made from the dataset." />
      <SelectField
        label="Dataset"
        value={form.dataset}
        onValue={set('dataset')}
        options={[
          { value: '', label: 'Choose …' },
          ...(datasets.data ?? []).map(({ id, name, items }) => ({
            value: id,
            label: `${name} (${items} items)`,
          })),
        ]}
      />
      <SelectField
        label="What is run"
        value={form.kind}
        onValue={set('kind')}
        options={[
          { value: 'template', label: 'A text with variables' },
          { value: 'prompt', label: 'A managed prompt' },
          { value: 'external', label: 'An application sends its outputs' },
        ]}
      />
      {form.kind === 'prompt' && (
        <>
          <TextField label="Prompt" value={form.prompt} onValue={set('prompt')} hint="Its name or id." />
          <TextField label="Version" value={form.version} onValue={set('version')} />
        </>
      )}
      {form.kind === 'template' && <TextArea label="Text" value={form.text} onValue={set('text')} rows={4} />}
      {form.kind !== 'external' && (
        <SelectField
          label="Model"
          value={form.modelId}
          onValue={set('modelId')}
          options={[
            { value: '', label: 'Choose …' },
            ...(models.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <CheckList
        label="Evaluators"
        options={(evaluators.data?.data ?? []).map(({ id, label }) => ({ value: id, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
      <TextField label="At most US dollars" value={form.cap} onValue={set('cap')} hint="Empty: no cap." />
    </FormDialog>
  );
}
