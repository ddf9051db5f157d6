import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { History, Play, Plus, Square } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { JUDGE_KEY, playgroundEvents, playgroundRunQuery } from '../../api/evaluations.ts';
import { modelsQuery } from '../../api/models.ts';
import { spanQuery } from '../../api/trace.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Notice } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import {
  blank,
  bodyOf,
  type Column,
  columnOf,
  columnsOfRun,
  factsOf,
  isObject,
  messagesOf,
  readJson,
} from './column.ts';
import { ColumnView } from './column-view.tsx';
import { recordedIn, recordedQuery } from './recorded.ts';
import { DraftDialog, ExperimentDialog, ItemDialog } from './save-dialogs.tsx';

const RunHistory = lazy(() => import('./run-history.tsx'));
const TextDiff = lazy(() => import('../../ui/text-diff.tsx'));
const route = getRouteApi('/playground');
const MOST_COLUMNS = 6;

type Saving = { readonly what: 'draft' | 'item' | 'experiment'; readonly column: Column };

/** The same variables through up to six models and prompts, side by side. */
export function PlaygroundPage() {
  const { environment } = useShell();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const models = useQuery(modelsQuery(environment));
  const span = useQuery({
    ...spanQuery(search.trace ?? '', search.span ?? '', undefined),
    enabled: search.trace !== undefined && search.span !== undefined,
  });
  const kept = useQuery({
    ...playgroundRunQuery(environment, search.run ?? ''),
    enabled: search.run !== undefined,
  });
  const [columns, setColumns] = useState<readonly Column[]>([blank(0)]);
  const [variables, setVariables] = useState('{"question": "Why is the sky blue?"}');
  const [failure, setFailure] = useState<unknown>();
  const [compared, setCompared] = useState('');
  const [saving, setSaving] = useState<Saving>();
  const [said, setSaid] = useState('');
  const running = useRef<AbortController>(undefined);
  const [busy, setBusy] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const opened = span.data;
  const known = models.data;
  const later = useQuery(recordedQuery(opened)).data;
  const recorded = useMemo(
    () => [...recordedIn(messagesOf(opened?.conversation.input ?? [])), ...(later ?? [])],
    [opened, later],
  );
  // Models that change later change no column, nor does the span once a run of it goes on from there.
  const areKnown = known !== undefined;
  const openOnce = useEffectEvent((one: typeof opened, isReady: boolean) => {
    if (one === undefined || !isReady || search.run !== undefined) return;
    setColumns([columnOf(one, 0, known ?? [])]);
    setVariables('{}');
  });
  useEffect(() => openOnce(opened, areKnown), [opened, areKnown]);
  // A run that was made here is on the page already.
  const here = useRef<string>(undefined);
  const past = kept.data;
  const show = (run: NonNullable<typeof past>) => {
    here.current = run.id;
    setColumns(columnsOfRun(run));
    setVariables(JSON.stringify(run.variables));
  };
  const showOnce = useEffectEvent((run: typeof past) => {
    if (run !== undefined && here.current !== run.id) show(run);
  });
  useEffect(() => showOnce(past), [past]);
  const [browsing, setBrowsing] = useState(false);
  const change = (key: number, next: Partial<Column>) =>
    setColumns((before) => before.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const parsed = readJson(variables);
  const filled = isObject(parsed) ? parsed : {};

  async function run(): Promise<void> {
    const stop = new AbortController();
    running.current = stop;
    setBusy(true);
    setFailure(undefined);
    const asked = columns;
    setColumns((before) => before.map((one) => ({ ...one, answer: '', calls: [], told: '', failure: '' })));
    const patch = (at: number, how: (one: Column) => Partial<Column>) => {
      const key = asked[at]?.key;
      setColumns((before) => before.map((one) => (one.key === key ? { ...one, ...how(one) } : one)));
    };
    try {
      const fallback = known?.[0]?.id ?? '';
      const body = { variables: filled, columns: asked.map((one) => bodyOf(one, fallback)) };
      for await (const told of playgroundEvents(environment, body, stop.signal)) {
        if (told.event === 'delta') patch(told.column, ({ answer }) => ({ answer: answer + told.text }));
        else if (told.event === 'tool') patch(told.column, ({ calls }) => ({ calls: [...calls, told] }));
        else if (told.event === 'failure') patch(told.column, () => ({ failure: told.err }));
        else if (told.event === 'done') patch(told.column, () => ({ told: factsOf(told) }));
        else if (told.id === null) setSaid(told.err ?? '');
        else {
          const { id } = told;
          here.current = id;
          void navigate({ search: (before) => ({ ...before, run: id }), replace: true });
        }
      }
    } catch (thrown) {
      if (!stop.signal.aborted) setFailure(thrown);
    } finally {
      setBusy(false);
      void client.invalidateQueries({ queryKey: [...JUDGE_KEY, 'playground'] });
    }
  }

  const save = (what: Saving['what'], column: Column) =>
    setSaving({ what, column: { ...column, modelId: column.modelId || (known?.[0]?.id ?? '') } });
  const isReady = isObject(parsed) && (known?.length ?? 0) > 0;
  const [first] = columns;
  const other = columns.find(({ key }) => String(key) === compared && key !== first?.key);
  const close = () => setSaving(undefined);
  const done = (text: string) => {
    setSaid(text);
    close();
  };
  return (
    <div className={PAGE_COLUMN}>
      <title>Playground · Candela</title>
      <h1 className="sr-only">Playground</h1>
      <div className="flex shrink-0 flex-wrap items-end gap-3 border-b border-line p-3">
        <TextArea
          label="Variables (JSON)"
          className="min-w-48 grow"
          rows={2}
          value={variables}
          onValue={setVariables}
          error={isObject(parsed) ? undefined : 'A JSON object is wanted.'}
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
                calls: [],
                told: '',
                failure: '',
              },
            ])
          }
        >
          <Plus size={14} aria-hidden />
          Column
        </Button>
        <Button onClick={() => setBrowsing(true)}>
          <History size={14} aria-hidden />
          Runs
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
      <ErrorLine error={failure ?? span.error ?? kept.error} className="p-3" />
      {known?.length === 0 && (
        <Notice title="No model is configured">
          <p>
            <Link to="/settings/models" className="text-accent hover:underline">
              Add one in the settings
            </Link>
            , then come back.
          </p>
        </Notice>
      )}
      <div className="min-h-0 grow overflow-auto p-3">
        <div className="flex gap-4 max-sm:flex-col">
          {columns.map((one, at) => (
            <div key={one.key} className="flex min-w-72 flex-1 flex-col gap-2">
              <ColumnView
                column={one}
                title={`Column ${at + 1}`}
                models={known ?? []}
                recorded={recorded}
                onChange={(next) => change(one.key, next)}
                onRemove={
                  columns.length === 1
                    ? undefined
                    : () => setColumns((before) => before.filter(({ key }) => key !== one.key))
                }
              />
              <div className="flex flex-wrap gap-2">
                <Button onClick={() => save('draft', one)}>Save as draft …</Button>
                <Button onClick={() => save('item', one)}>Add to dataset …</Button>
                <Button onClick={() => save('experiment', one)}>Run on a dataset …</Button>
              </div>
            </div>
          ))}
        </div>
        <p role="status" className="py-2 text-sm text-muted empty:hidden">
          {said}
        </p>
        {first !== undefined && columns.length > 1 && (
          <section aria-label="Difference" className="mt-4 flex flex-col gap-2">
            <SelectField
              label="Difference of the answers: column 1 and"
              className="w-64"
              value={compared}
              onValue={setCompared}
              options={[
                { value: '', label: 'none' },
                ...columns.slice(1).map(({ key }, at) => ({ value: String(key), label: `column ${at + 2}` })),
              ]}
            />
            {other && (
              <Suspense fallback={null}>
                <TextDiff
                  label="Difference of the answers"
                  before={{ name: 'Column 1', text: first.answer }}
                  after={{ name: `Column ${columns.indexOf(other) + 1}`, text: other.answer }}
                />
              </Suspense>
            )}
          </section>
        )}
      </div>
      {browsing && (
        <Suspense>
          <RunHistory
            shown={search.run}
            onOpen={(run) => {
              // Opened again it is as it was, whatever was changed here meanwhile.
              if (run === past?.id) show(past);
              else here.current = undefined;
              void navigate({ search: { run } });
              setBrowsing(false);
            }}
            onClose={() => setBrowsing(false)}
          />
        </Suspense>
      )}
      {saving?.what === 'draft' && <DraftDialog column={saving.column} onDone={done} onClose={close} />}
      {saving?.what === 'item' && (
        <ItemDialog column={saving.column} variables={filled} onDone={done} onClose={close} />
      )}
      {saving?.what === 'experiment' && <ExperimentDialog column={saving.column} onClose={close} />}
    </div>
  );
}
