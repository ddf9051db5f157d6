import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChartLine, Plus } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { metricQuery } from '../../api/metrics.ts';
import { PALETTE_SIZE, paletteOf } from '../../charts/prepare/palette.ts';
import { identityOf } from '../../charts/prepare/time-chart.ts';
import { exact } from '../../lib/format.ts';
import { join, quoted } from '../../lib/query-text.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/states.tsx';
import { type TimeWindow, windowBefore } from '../../lib/time-range.ts';
import { persistedCatalogue } from './catalogue-search.ts';
import { useShell } from '../shell/shell-search.ts';
import {
  EMPTY_QUERY,
  type ExplorerQuery,
  LETTERS,
  type Letter,
  printQuery,
  queriesOf,
  readRatio,
} from './explore-search.ts';
import { figuresOf, linesOf, offsetBefore } from './explore-series.ts';
import { HeatmapCard } from './heatmap-card.tsx';
import { everyWords, stepWords, typeWords } from './metric-words.ts';
import { MetricChart } from './metric-chart.tsx';
import { QueryRow } from './query-row.tsx';
import { ratioLines, ratioName, ratioUnit } from './ratio.ts';
import { RatioChart } from './ratio-chart.tsx';
import { SeriesTable, type TableLine } from './series-table.tsx';
import { questionOf, useAnswers } from './use-answers.ts';

const route = getRouteApi('/metrics/explore');
const STEPS = [10, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/** Several metrics on one chart: which, how added up, by which labels; exemplars lead to their traces. */
export function MetricExplorer() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, before, setRange } = useShell();
  const queries = useMemo(() => queriesOf(search), [search]);
  const scope = useMemo(() => ({ window, environment }), [window, environment]);
  const step = search.step === undefined ? undefined : Number(search.step);
  const answers = useAnswers(queries, scope, step);
  const change = (
    next: Partial<Record<Letter | 'step' | 'before' | 'heat' | 'ratio' | 'order', string | true | undefined>>,
  ) => void navigate({ search: (before) => ({ ...before, ...next }) as typeof before });
  const put = (letter: Letter, query: ExplorerQuery) => change({ [letter]: printQuery(query) });
  const inputs = useRef(new Map<Letter, HTMLInputElement>());
  const adder = useRef<HTMLButtonElement>(null);
  // A query that was added is filled in next; of one that was removed the keyboard must not be lost.
  const next = useRef<Letter | 'adder'>(undefined);
  useEffect(() => {
    const element =
      next.current === 'adder' ? adder.current : next.current && inputs.current.get(next.current);
    if (!element) return;
    next.current = undefined;
    element.focus();
  }, [queries]);
  const several = queries.length > 1;

  const earlierWindow = useMemo(() => windowBefore(window, before), [window, before]);
  const earlierBy = earlierWindow === undefined ? 0 : window.fromMs - earlierWindow.fromMs;
  const earlier = useQueries({
    queries: answers.map(({ query, answer }) => ({
      ...metricQuery(
        {
          environment,
          q: query.filter,
          window: earlierWindow ?? window,
        },
        {
          ...questionOf(query, answer?.stepSeconds),
          offsetMs: offsetBefore(answer?.stepSeconds, earlierBy),
          exemplars: false,
        },
      ),
      enabled: search.before === true && earlierWindow !== undefined && answer?.type != null,
    })),
  });
  useHotkey('/', () => queries[0] && inputs.current.get(queries[0].letter)?.focus(), {
    label: 'Choose a metric',
    group: 'Everywhere',
  });

  useHotkey('Escape', () => void navigate({ to: '/metrics', search: persistedCatalogue.last() }), {
    label: 'Back to the metrics',
    group: 'Metrics',
  });

  const ratio = readRatio(search.ratio);
  const parts =
    ratio === undefined
      ? []
      : [ratio.top, ratio.bottom].flatMap((letter) => answers.find((one) => one.letter === letter) ?? []);
  const [above, below] = parts;
  const divided =
    ratio === undefined || above?.answer === undefined || below?.answer === undefined
      ? undefined
      : ratioLines(above.answer, below.answer, ratioName(ratio));
  const dividedUnit = ratioUnit(above?.answer?.valueUnit ?? '', below?.answer?.valueUnit ?? '');
  const dividedBefore = () => {
    const [top, bottom] = parts.map((one) => earlier[answers.indexOf(one)]?.data);
    return ratio === undefined || search.before !== true || top === undefined || bottom === undefined
      ? undefined
      : ratioLines(top, bottom, ratioName(ratio));
  };
  const units = [...Map.groupBy(answers, ({ answer }) => answer?.valueUnit ?? '')];
  const identities = new Set([
    ...answers.flatMap(({ answer }) =>
      answer === undefined ? [] : linesOf(answer, undefined).map(identityOf),
    ),
    ...(divided?.lines ?? []).map(({ line }) => identityOf(line)),
  ]);
  const colours = identities.size > PALETTE_SIZE ? undefined : paletteOf([...identities]);
  const table = answers.flatMap(({ letter, answer }): TableLine[] =>
    answer === undefined
      ? []
      : linesOf(answer, several ? letter : undefined).map((line, index) => ({
          key: line.key,
          letter,
          label: line.label,
          unit: answer.valueUnit,
          labels: answer.groupBy.map((field, at) => ({
            field,
            value: answer.series[index]?.labels[at] ?? '',
          })),
          figures: figuresOf(line.points),
        })),
  );
  if (ratio !== undefined)
    table.unshift(
      ...(divided?.lines ?? []).map(
        ({ line, figures }): TableLine => ({
          key: line.key,
          letter: ratioName(ratio),
          label: line.label,
          unit: dividedUnit,
          // It has the labels of two queries; the filter of one would not be that of the other.
          labels: [],
          figures,
        }),
      ),
    );
  const histogram = answers.find(
    ({ answer }) => answer?.type === 'histogram' || answer?.type === 'exponential_histogram',
  );
  const free = LETTERS.find((letter) => queries.every((one) => one.letter !== letter));
  const zoom = (chosen: TimeWindow) =>
    setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() });
  const filterBy = (letter: string, field: string, value: string) => {
    const own = queries.find((one) => one.letter === letter);
    if (own === undefined) return;
    const term = value === '' ? `-${field}:*` : `${field}:${quoted(value)}`;
    put(own.letter, { ...own.query, filter: join(own.query.filter, term) });
  };
  return (
    <div className="flex h-full flex-col overflow-auto">
      <title>Metrics explorer · Candela</title>
      <h1 className="sr-only">Metrics explorer</h1>
      <div className="flex flex-col gap-2 border-b border-line px-4 py-2">
        {queries.map(({ letter, query }) => (
          <QueryRow
            key={letter}
            letter={letter}
            query={query}
            answer={answers.find((one) => one.letter === letter)?.answer}
            scope={scope}
            onChange={(next) => put(letter, next)}
            onRemove={
              several
                ? () => {
                    next.current = 'adder';
                    const goes = ratio?.top === letter || ratio?.bottom === letter;
                    change({ [letter]: undefined, ...(goes ? { ratio: undefined } : {}) });
                  }
                : undefined
            }
            metricInput={(element) => {
              if (element === null) inputs.current.delete(letter);
              else inputs.current.set(letter, element);
            }}
          />
        ))}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            ref={adder}
            disabled={free === undefined}
            onClick={() => {
              if (free === undefined) return;
              next.current = free;
              put(free, EMPTY_QUERY);
            }}
            title={
              free === undefined ? `At most ${LETTERS.length} queries` : 'Another metric on the same chart'
            }
          >
            <Plus size={14} className="text-muted" aria-hidden />
            Query
          </Button>
          <ChoiceMenu
            label="Step"
            value={search.step ?? ''}
            choices={[
              { value: '', label: 'auto' },
              ...STEPS.map((seconds) => ({ value: String(seconds), label: stepWords(seconds) })),
            ]}
            onChoose={(value) => change({ step: value === '' ? undefined : value })}
            trigger={
              <Button aria-label={`step ${step === undefined ? 'auto' : stepWords(step)}`}>
                <span className="text-muted">step</span> {step === undefined ? 'auto' : stepWords(step)}
              </Button>
            }
          />
          {answers.length > 1 && (
            <ChoiceMenu
              label="Ratio"
              value={ratio === undefined ? '' : `${ratio.top}/${ratio.bottom}`}
              choices={[
                { value: '', label: 'none' },
                ...answers.flatMap(({ letter: top }) =>
                  answers
                    .filter(({ letter }) => letter !== top)
                    .map(({ letter: bottom }) => ({
                      value: `${top}/${bottom}`,
                      label: ratioName({ top, bottom }),
                    })),
                ),
              ]}
              onChoose={(value) => change({ ratio: value === '' ? undefined : value })}
              trigger={
                <Button
                  aria-label={`ratio ${ratio === undefined ? 'none' : ratioName(ratio)}`}
                  title="One query divided by another"
                >
                  <span className="text-muted">ratio</span> {ratio === undefined ? 'none' : ratioName(ratio)}
                </Button>
              }
            />
          )}
          <Button
            aria-pressed={search.before === true}
            onClick={() => change({ before: search.before === true ? undefined : true })}
            title="The period before, dashed"
          >
            Period before
          </Button>
          {histogram && (
            <Button
              aria-pressed={search.heat === true}
              onClick={() => change({ heat: search.heat === true ? undefined : true })}
            >
              Heat map
            </Button>
          )}
          <Link
            to="/metrics"
            search={persistedCatalogue.last()}
            className="ml-auto text-accent hover:underline"
          >
            All metrics
          </Link>
        </div>
      </div>
      {answers.length === 0 ? (
        <Notice icon={<ChartLine className="text-muted" aria-hidden />} title="Choose a metric">
          <p>Type words of its name above, or open one from the list of all metrics.</p>
          <Link to="/metrics" search={persistedCatalogue.last()} className="text-accent underline">
            All metrics
          </Link>
        </Notice>
      ) : (
        <div className="flex flex-col gap-3 p-4">
          {ratio !== undefined && parts.length === 2 && (
            <RatioChart
              ratio={ratio}
              parts={parts}
              lines={divided}
              unit={dividedUnit}
              colours={colours}
              window={window}
              environment={environment}
              previousBy={earlierBy}
              previous={dividedBefore()}
              onZoom={zoom}
            />
          )}
          {units.map(([unit, group]) => (
            <MetricChart
              key={unit}
              answers={group}
              several={several}
              colours={colours}
              window={window}
              environment={environment}
              previousBy={earlierBy}
              previous={group.map((one) => ({
                letter: one.letter,
                answer: search.before === true ? earlier[answers.indexOf(one)]?.data : undefined,
              }))}
              onZoom={zoom}
              onTrace={(traceId, spanId) =>
                void navigate({
                  to: '/traces/$traceId',
                  params: { traceId },
                  search: spanId === '' ? {} : { span: spanId },
                })
              }
            />
          ))}
          {histogram && search.heat === true && (
            <HeatmapCard
              scope={histogram.scope}
              question={histogram.question}
              said={histogram.answer?.notes ?? []}
              window={window}
              onZoom={zoom}
            />
          )}
          <Facts answers={answers} several={several} />
          {table.length > 0 && (
            <SeriesTable
              lines={table}
              severalQueries={several}
              order={search.order}
              onOrder={(order) => change({ order })}
              onFilter={filterBy}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** What stands behind the numbers, and what a reader should know about them. */
function Facts({ answers, several }: { answers: ReturnType<typeof useAnswers>; several: boolean }) {
  return (
    <ul className="flex flex-col gap-0.5 text-sm text-muted">
      {answers.map(({ letter, answer }) =>
        answer === undefined || answer.type === null ? null : (
          <li key={letter}>
            {several && <span className="font-mono">{letter.toUpperCase()} </span>}
            {typeWords({ type: answer.type, monotonic: answer.monotonic, temporality: answer.temporality })},{' '}
            {exact(answer.matchedSeries)} series
            {answer.intervalSeconds !== null && ` reporting ${everyWords(answer.intervalSeconds)}`}, in steps
            of {stepWords(answer.stepSeconds)}
            {answer.truncated && ` · the largest ${answer.series.length} of ${exact(answer.lines)} lines`}
            {answer.notes.map((note) => (
              <span key={note} className="block text-warn">
                {note}
              </span>
            ))}
          </li>
        ),
      )}
    </ul>
  );
}
