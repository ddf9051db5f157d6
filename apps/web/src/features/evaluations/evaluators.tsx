import type { EvaluatorKindView, EvaluatorView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import {
  configQuery,
  createEvaluator,
  deleteEvaluator,
  evaluatorsQuery,
  JUDGE_KEY,
  runsQuery,
  saveConfig,
  updateEvaluator,
} from '../../api/evaluations.ts';
import { modelsQuery } from '../../api/models.ts';
import { DASH, formatCost, formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { EvaluatorTest } from './evaluator-test.tsx';

/** The model that judges, what was spent, and every evaluator with its queue. */
export function Evaluators(props: { mayChange: boolean; mayConfigure: boolean }) {
  const { environment } = useShell();
  const query = useQuery(evaluatorsQuery(environment));
  const config = useQuery(configQuery(environment));
  const [editing, setEditing] = useState<EvaluatorView | 'new'>();
  const [configuring, setConfiguring] = useState(false);
  if (query.isPending) return <SkeletonRows rows={6} label="Loading the evaluators" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const told = config.data;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <span>
          {told?.modelId ? 'A model judges.' : 'No model judges yet: judged types wait for one.'} Spent today{' '}
          {formatCost(told?.spentTodayUsd)}
          {told?.dailyCapUsd != null && ` of ${formatCost(told.dailyCapUsd)}`}
        </span>
        {told?.nextRunAt && (
          <span className="text-muted">
            Next run <When time={told.nextRunAt} />
          </span>
        )}
        <span className="ml-auto flex gap-2">
          {props.mayConfigure && <Button onClick={() => setConfiguring(true)}>Judge and cap …</Button>}
          {props.mayChange && (
            <Button look="primary" onClick={() => setEditing('new')}>
              <Plus size={14} aria-hidden />
              New evaluator
            </Button>
          )}
        </span>
      </div>
      {told != null && told.unpricedToday > 0 && told.dailyCapUsd !== null && (
        <p role="status" className="rounded-md border border-warn/40 p-2 text-sm text-warn">
          {formatCount(told.unpricedToday)} calls of today have no known price: the cap does not count them.
          Add a price under Settings, Models & prices.
        </p>
      )}
      {told?.paused && (
        <p role="status" className="rounded-md border border-warn/40 p-2 text-sm text-warn">
          {told.paused}
        </p>
      )}
      <Table
        label="Evaluators"
        walked
        rows={query.data?.data ?? []}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          {
            label: 'Evaluator',
            cell: (row) => (
              <button type="button" className="text-left hover:underline" onClick={() => setEditing(row)}>
                {row.label}
                <span className="block font-mono text-xs text-muted">{row.id}</span>
              </button>
            ),
          },
          { label: 'Kind', cell: ({ kind }) => kind },
          {
            label: 'State',
            cell: ({ enabled, auto, builtIn }) => (
              <span className="flex gap-1">
                <Badge tone={enabled ? 'ok' : 'plain'}>{enabled ? 'on' : 'off'}</Badge>
                {auto && <Badge tone="accent">automatic</Badge>}
                {builtIn && <Badge>built in</Badge>}
              </span>
            ),
          },
          {
            label: 'Fails',
            cell: ({ polarity, threshold }) => `${polarity === 'lower' ? 'above' : 'below'} ${threshold}`,
          },
          { label: 'Version', cell: ({ version }) => <code className="text-xs">{version.slice(0, 8)}</code> },
          { label: 'Last run', cell: ({ lastRunAt }) => (lastRunAt ? <When time={lastRunAt} /> : DASH) },
          { label: 'Waiting', align: 'end', cell: ({ queue }) => formatCount(queue.queued + queue.leased) },
          { label: 'Judged', align: 'end', cell: ({ queue }) => formatCount(queue.done) },
          { label: 'Failed', align: 'end', cell: ({ queue }) => formatCount(queue.failed) },
        ]}
      />
      {editing !== undefined && (
        <EvaluatorDialog
          key={editing === 'new' ? '' : editing.id}
          evaluator={editing === 'new' ? undefined : editing}
          kinds={query.data?.kinds ?? []}
          mayChange={props.mayChange}
          onClose={() => setEditing(undefined)}
        />
      )}
      {configuring && told && (
        <ConfigDialog modelId={told.modelId} cap={told.dailyCapUsd} onClose={() => setConfiguring(false)} />
      )}
    </div>
  );
}

function ConfigDialog(props: { modelId: string | null; cap: number | null; onClose: () => void }) {
  const { environment } = useShell();
  const models = useQuery(modelsQuery(environment));
  const [modelId, setModelId] = useState(props.modelId ?? '');
  const [cap, setCap] = useState(props.cap === null ? '' : String(props.cap));
  const save = useApiMutation(
    () =>
      saveConfig(environment, {
        modelId: modelId || null,
        dailyCapUsd: cap.trim() === '' ? null : Number(cap),
      }),
    { touches: [JUDGE_KEY], onDone: props.onClose },
  );
  return (
    <FormDialog
      title="Judge and daily cap"
      action="Save"
      busy={save.isPending}
      error={save.error}
      ready={cap.trim() === '' || Number(cap) >= 0}
      onSubmit={() => save.mutate(undefined)}
      onClose={props.onClose}
    >
      <SelectField
        label="Model that judges"
        value={modelId}
        onValue={setModelId}
        options={[
          { value: '', label: 'None' },
          ...(models.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        hint="Models are added in the settings. Each evaluator may name another one."
      />
      <TextField
        label="US dollars a day"
        value={cap}
        onValue={setCap}
        inputMode="decimal"
        hint="Empty: no cap. When it is reached, runs wait until the next day (UTC)."
      />
    </FormDialog>
  );
}

function EvaluatorDialog(props: {
  evaluator: EvaluatorView | undefined;
  kinds: readonly EvaluatorKindView[];
  mayChange: boolean;
  onClose: () => void;
}) {
  const { environment } = useShell();
  const { evaluator } = props;
  const [form, setForm] = useState({
    id: evaluator?.id ?? '',
    label: evaluator?.label ?? '',
    kind: evaluator?.kind ?? 'judge',
    prompt: evaluator?.prompt ?? '',
    threshold: String(evaluator?.threshold ?? 0.5),
    settings: JSON.stringify(evaluator?.settings ?? {}, null, 2),
    enabled: evaluator?.enabled ?? true,
    automatic: evaluator?.auto !== null && evaluator !== undefined,
    q: evaluator?.auto?.q ?? 'operation:chat',
    rate: String(evaluator?.auto?.sampleRate ?? 1),
    byRules: evaluator?.auto?.byRules ?? false,
    modelId: evaluator?.modelId ?? '',
  });
  const set =
    <Key extends keyof typeof form>(key: Key) =>
    (value: (typeof form)[Key]) =>
      setForm((before) => ({ ...before, [key]: value }));
  const models = useQuery(modelsQuery(environment));
  const runs = useQuery({ ...runsQuery(environment, evaluator?.id ?? ''), enabled: evaluator !== undefined });
  const settings = readJson(form.settings);
  const save = useApiMutation(
    () => {
      const body = {
        label: form.label,
        prompt: form.prompt,
        threshold: Number(form.threshold),
        settings: settings ?? {},
        enabled: form.enabled,
        modelId: form.modelId || null,
        auto: form.automatic ? { q: form.q, sampleRate: Number(form.rate), byRules: form.byRules } : null,
      };
      return evaluator === undefined
        ? createEvaluator(environment, { ...body, id: form.id, kind: form.kind })
        : updateEvaluator(environment, evaluator.id, body);
    },
    { touches: [JUDGE_KEY], onDone: props.onClose },
  );
  const remove = useApiMutation(() => deleteEvaluator(environment, evaluator?.id ?? ''), {
    touches: [JUDGE_KEY],
    onDone: props.onClose,
  });
  const kind = props.kinds.find(({ id }) => id === form.kind);
  return (
    <FormDialog
      title={evaluator?.label ?? 'New evaluator'}
      action="Save"
      wide
      busy={save.isPending}
      error={save.error ?? remove.error}
      ready={props.mayChange && form.label.trim() !== '' && settings !== undefined && form.id !== ''}
      onSubmit={() => save.mutate(undefined)}
      onClose={props.onClose}
    >
      {evaluator === undefined && (
        <>
          <TextField
            label="Id"
            value={form.id}
            onValue={set('id')}
            hint="Lower-case letters, digits and underscores; the name of its scores."
            required
          />
          <SelectField
            label="Kind"
            value={form.kind}
            onValue={set('kind')}
            options={[
              { value: 'judge', label: 'A model judges' },
              ...props.kinds.map(({ id, label }) => ({ value: id, label })),
            ]}
          />
        </>
      )}
      <TextField label="Label" value={form.label} onValue={set('label')} required />
      {form.kind === 'judge' ? (
        <>
          <TextArea
            label="Criteria"
            value={form.prompt}
            onValue={set('prompt')}
            rows={5}
            hint="What is a problem. The judge gives a reason, then a level from 0 (none) to 4 (all of it)."
          />
          <SelectField
            label="Model that judges"
            value={form.modelId}
            onValue={set('modelId')}
            options={[
              { value: '', label: 'The one chosen for all' },
              ...(models.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </>
      ) : (
        <TextArea
          label="Settings (JSON)"
          value={form.settings}
          onValue={set('settings')}
          rows={5}
          hint={kind && `${kind.description} ${settingsText(kind.settings)}`}
          error={settings === undefined ? 'This is no JSON object.' : undefined}
        />
      )}
      <TextField
        label="Threshold"
        value={form.threshold}
        onValue={set('threshold')}
        inputMode="decimal"
        hint={
          form.kind === 'judge'
            ? 'From 0 to 1. 0 is none of the problem; a score above fails.'
            : 'From 0 to 1. 1 is best; a score below fails.'
        }
      />
      <CheckField label="Enabled" checked={form.enabled} onChange={set('enabled')} />
      <CheckField
        label="Judge new spans automatically"
        checked={form.automatic}
        onChange={set('automatic')}
      />
      {form.automatic && (
        <>
          <TextField label="Spans that match" value={form.q} onValue={set('q')} />
          <TextField
            label="Part of the traces"
            value={form.rate}
            onValue={set('rate')}
            hint="From 0 to 1; a trace is judged whole or not at all."
          />
          <CheckField
            label="Only spans for which a rule returns this evaluator"
            hint="Link a rule to it on the Rules page; other spans are skipped."
            checked={form.byRules}
            onChange={set('byRules')}
          />
        </>
      )}
      {props.mayChange && (
        <EvaluatorTest
          id={form.id}
          draft={{
            kind: form.kind,
            prompt: form.prompt,
            modelId: form.modelId || null,
            threshold: Number(form.threshold),
            settings: settings ?? {},
          }}
          ready={settings !== undefined && (form.kind !== 'judge' || form.prompt.trim() !== '')}
        />
      )}
      {evaluator !== undefined && (
        <>
          <p className="text-xs text-muted">
            {evaluator.lastError && `Last run failed: ${evaluator.lastError}`}
          </p>
          <Table
            label="Last runs"
            rows={runs.data ?? []}
            keyOf={({ id }) => id}
            empty="Nothing was judged yet."
            columns={[
              { label: 'Span', cell: ({ spanId }) => <code>{spanId.slice(0, 8)}</code> },
              { label: 'State', cell: (run) => runState(run.state, run.result) },
              { label: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
              {
                label: 'Reason',
                cell: (run) => (
                  <span className="whitespace-normal">{run.error ?? runReason(run.result)}</span>
                ),
              },
            ]}
          />
          {props.mayChange && (
            <Button className="self-start" busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
              {evaluator.builtIn ? 'Reset to how it came' : 'Delete'}
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}

/** The settings of a kind by name, as its JSON Schema has them. */
function settingsText(schema: EvaluatorKindView['settings']): string {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: string; enum?: readonly string[]; default?: unknown }>;
    required?: readonly string[];
  };
  const each = Object.entries(properties).map(([name, { type = 'any value', enum: choices }]) => {
    const takes = choices === undefined ? type : choices.map((choice) => `"${choice}"`).join(' or ');
    return `"${name}" (${takes}${required.includes(name) ? ', needed' : ''})`;
  });
  return each.length === 0 ? 'It has no settings.' : `Settings: ${each.join(', ')}.`;
}

const fact = (result: unknown, key: string): string | undefined => {
  const value =
    typeof result === 'object' && result !== null ? (result as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : undefined;
};
const runState = (state: string, result: unknown) =>
  state === 'done' ? (fact(result, 'state') ?? state) : state;
const runReason = (result: unknown) => fact(result, 'explanation') ?? DASH;

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
