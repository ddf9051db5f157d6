import type { ComparedField, ComparedNumber, EventKind } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { aggregateQuery, compareQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import {
  exact,
  formatCost,
  formatCount,
  formatDuration,
  formatTime,
  nounOf,
  type Zone,
} from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { type TimeWindow, windowBefore } from '../../lib/time-range.ts';
import { useFocusBack } from '../../lib/use-focus-back.ts';
import { zonePreference } from '../../lib/zone.ts';
import { toggleTerm, toggleValue } from '../../lib/query-text.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Failure, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import type { ExploreConfig } from './explore-config.ts';
import { beginTerm, fieldTerm, valueTerm } from './filter-term.ts';
import { queryTrouble } from './query-trouble.ts';
import { differences, type FieldsAlike } from './deduplicate.ts';
import { useSteady } from './use-steady.ts';

/** What the selection is compared with: the other rows of the search, or the same of the period before. */
type Against = 'rest' | 'before';

const percent = (share: number): string => {
  const value = share * 100;
  return value === 0 ? '0%' : value < 1 ? '<1%' : `${Math.round(value)}%`;
};

/**
 * What is different about some of the rows: for each field and attribute, how often its values occur among the selected
 * rows and among the others of the search, or among the same of the period before, the most different first. A click on
 * a value adds it to the search.
 */
export default function WhatDiffers(props: {
  config: ExploreConfig;
  signal: EventKind;
  scope: Scope;
  /** Whether the time range moves on by itself, every few seconds. */
  isLive: boolean;
  /** The selected rows, as text of the grammar; '' until one is chosen, and for all of them. */
  selection: string;
  against: Against;
  onSelection: (selection: string | undefined) => void;
  onAgainst: (against: Against) => void;
  onQuery: (q: string) => void;
}) {
  const { selection, signal } = props;
  const { before: period, choice } = useShell();
  const chosen = JSON.stringify([choice, props.scope.q]);
  const scope = useSteady(props.scope, chosen, props.isLive);
  const before = useMemo(() => windowBefore(scope.window, period), [scope.window, period]);
  const isPeriod = props.against === 'before' && before !== undefined;
  const sides = isPeriod ? PERIODS : PARTS;
  const trouble = selection === '' ? undefined : queryTrouble(selection, signal);
  const answer = useQuery({
    ...compareQuery(scope, signal, selection, isPeriod ? before : undefined),
    enabled: (isPeriod || selection !== '') && trouble === undefined,
    placeholderData: keepPreviousData,
  });
  const standing = useStaleData(answer, JSON.stringify([chosen, selection, isPeriod && before]));
  const found = standing.data;
  const panel = useRef<HTMLElement>(null);
  useFocusBack(panel, { takes: true });
  useHotkey('Escape', () => props.onSelection(undefined), {
    label: 'Close what differs',
    group: 'What differs',
  });
  return (
    <aside
      ref={panel}
      aria-label="What differs"
      tabIndex={-1}
      className="flex w-[26rem] shrink-0 flex-col -outline-offset-2 border-l border-line bg-bg max-lg:fixed max-lg:inset-y-0 max-lg:right-0 max-lg:z-30 max-lg:max-w-full max-lg:shadow-pop"
    >
      <header className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-3">
        <h2 className="font-medium">What differs</h2>
        <Button
          look="plain"
          className="ml-auto px-1"
          aria-label="Close what differs"
          onClick={() => props.onSelection(undefined)}
        >
          <X size={14} aria-hidden />
        </Button>
      </header>
      <Choose {...props} scope={scope} before={before} isPeriod={isPeriod} trouble={trouble?.message} />
      <div data-scrolls className="min-h-0 grow overflow-auto">
        {selection === '' && !isPeriod ? (
          <p className="p-3 text-sm text-muted">
            Choose some of the {props.config.noun}: for every field and attribute you then see which values
            are more frequent among them than among the others of this search.
          </p>
        ) : trouble ? null : standing.isPending ? (
          <SkeletonRows label="Comparing" rows={8} />
        ) : found === undefined ? (
          <Failure error={standing.error} onRetry={standing.refetch} />
        ) : (
          <div className={standing.isOld ? 'opacity-60' : ''} aria-busy={standing.isOld}>
            <NotRefreshed error={standing.missed} onRetry={standing.refetch} />
            <Sides
              noun={props.config.noun}
              names={sides}
              selection={found.selection}
              rest={found.rest}
              estimated={found.estimated}
            />
            {found.selection.rows === 0 || found.rest.rows === 0 ? (
              <p className="p-3 text-sm text-muted">{nothingText(found, isPeriod)}</p>
            ) : (
              <>
                {differences(found).map((one) =>
                  'unit' in one ? (
                    <NumberCard key={one.field} number={one} names={sides} />
                  ) : (
                    <FieldCards key={one.field.field} {...one} scope={scope} onQuery={props.onQuery} />
                  ),
                )}
                {found.fields.length === 0 && (
                  <p className="p-3 text-sm text-muted">No field tells the two apart.</p>
                )}
              </>
            )}
          </div>
        )}
      </div>
    </aside>
  );
}

/** Why there is nothing to compare. An estimate that saw no row says nothing of those it did not look at. */
function nothingText(found: { selection: Side; estimated: boolean }, isPeriod: boolean): string {
  const part = found.estimated
    ? ' Only a part of so many was looked at: a shorter time range shows more.'
    : '';
  return found.selection.rows === 0
    ? `Nothing ${found.estimated ? 'that was looked at' : 'in this search'} fits the selection.${part}`
    : isPeriod
      ? `Nothing in the period before fits it: there is nothing to compare with.${part}`
      : `Everything ${found.estimated ? 'that was looked at' : 'in this search'} fits the selection: there is nothing to compare it with.${part}`;
}

/** With what it is compared, the usual selections, and any other as text. */
function Choose(props: {
  config: ExploreConfig;
  signal: EventKind;
  scope: Scope;
  selection: string;
  before: TimeWindow | undefined;
  isPeriod: boolean;
  onAgainst: (against: Against) => void;
  trouble: string | undefined;
  onSelection: (selection: string) => void;
}) {
  const [text, setText] = useState(props.selection);
  const [given, setGiven] = useState(props.selection);
  if (given !== props.selection) {
    setGiven(props.selection);
    setText(props.selection);
  }
  const zone = zonePreference.use();
  const { noun } = props.config;
  const failures = useQuery(
    aggregateQuery(props.scope, {
      ...(props.signal === 'spans' ? {} : { signal: props.signal }),
      measures: ['count', 'errors'],
    }),
  );
  // Until it is known, and where it cannot be, they may be there.
  const failed = failures.isPending
    ? undefined
    : (failures.data?.data.rows[0]?.values[1] ?? (failures.isError ? 1 : 0));
  const slow = useQuery({
    ...aggregateQuery(props.scope, { measures: ['duration_p95', 'cost'] }),
    enabled: props.signal === 'spans',
  });
  const p95 = slow.data?.data.rows[0]?.values[0] ?? null;
  const [failing, errors] =
    props.signal === 'spans' ? ['Failed', 'status:error'] : ['Errors', 'severity:(error or fatal)'];
  const hasFailed = failed === undefined ? undefined : failed > 0 || props.selection === errors;
  const usual = [
    ...(props.isPeriod ? [{ label: `All ${noun}`, selection: '' }] : []),
    ...(hasFailed === true ? [{ label: failing, selection: errors }] : []),
    ...(props.signal === 'spans' && p95 !== null && p95 > 0
      ? [{ label: `Slowest 5% (over ${formatDuration(p95)})`, selection: `duration>=${roundUp(p95)}ms` }]
      : []),
  ];
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
      {props.before !== undefined && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
          <span>against</span>
          <Segments
            label="Compared with"
            size="small"
            value={props.isPeriod ? 'before' : 'rest'}
            choices={['rest', 'before']}
            nameOf={(one) => (one === 'rest' ? 'the others' : 'the time before')}
            onChoose={props.onAgainst}
          />
          {props.isPeriod && <span>{spanText(props.before, zone)}</span>}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-1">
        {usual.map((one) => (
          <Button
            key={one.selection}
            className="h-6"
            aria-pressed={props.selection === one.selection}
            onClick={() => props.onSelection(one.selection)}
          >
            {one.label}
          </Button>
        ))}
        {hasFailed === false && <span className="text-sm text-muted">nothing failed in this time</span>}
      </div>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          props.onSelection(text.trim());
        }}
      >
        <input
          aria-label="Selection"
          aria-invalid={props.trouble !== undefined}
          placeholder="or any search: model:gpt-4o"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-7 min-w-0 grow rounded-md border border-line bg-surface px-2 font-mono text-sm aria-invalid:border-danger"
        />
        <Button type="submit" disabled={text.trim() === ''}>
          Compare
        </Button>
      </form>
      {props.trouble !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {props.trouble}
        </p>
      )}
    </div>
  );
}

const roundUp = (ms: number): number => Number(ms.toPrecision(3));

/** What the two sides are called: parts of one time, or the same of two times. */
const PARTS = { selection: 'selected', rest: 'others' };
const PERIODS = { selection: 'now', rest: 'before' };

/** `23 Nov 10:30:00 – 23 Nov 11:30:00`. */
function spanText({ fromMs, toMs }: TimeWindow, zone: Zone): string {
  const [from, to] = [fromMs, toMs].map((ms) => formatTime(ms, zone).slice(0, -4)) as [string, string];
  return `${from} – ${to}`;
}

interface Side {
  readonly rows: number;
  readonly sampled: number;
}

function Sides(props: {
  noun: string;
  names: typeof PARTS;
  selection: Side;
  rest: Side;
  estimated: boolean;
}) {
  const { noun, names, selection, rest, estimated } = props;
  const line = (side: Side) =>
    `${estimated ? 'about ' : ''}${formatCount(side.rows)}${side.sampled < side.rows ? `, ${formatCount(side.sampled)} looked at` : ''}`;
  const title = (side: Side) =>
    estimated ? 'Estimated from a part of the rows' : `${exact(side.rows)} ${nounOf(side.rows, noun)}`;
  return (
    <p className="flex flex-wrap gap-x-4 border-b border-line px-3 py-2 text-sm text-muted">
      <span className="flex items-center gap-1.5" title={title(selection)}>
        <span data-mark className="size-2 rounded-xs bg-accent-fill" aria-hidden /> {names.selection}:{' '}
        {line(selection)}
      </span>
      <span className="flex items-center gap-1.5" title={title(rest)}>
        <span data-mark className="size-2 rounded-xs bg-faint" aria-hidden /> {names.rest}: {line(rest)}
      </span>
    </p>
  );
}

/** Something that is there is seen, however rare. */
const barWidth = (share: number): string => (share === 0 ? '0' : `${Math.max(1.5, share * 100)}%`);

function Bars({ selection, rest }: { selection: number; rest: number }) {
  return (
    <span className="flex w-24 shrink-0 flex-col gap-0.5" aria-hidden>
      <span data-mark className="h-1.5 rounded-xs bg-accent-fill" style={{ width: barWidth(selection) }} />
      <span data-mark className="h-1.5 rounded-xs bg-faint" style={{ width: barWidth(rest) }} />
    </span>
  );
}

/** A field, and on demand those that say the same. */
function FieldCards({ field, alike, ...rest }: FieldsAlike & { scope: Scope; onQuery: (q: string) => void }) {
  const [all, setAll] = useState(false);
  const names = alike.map((one) => one.field).join(', ');
  return (
    <>
      <FieldCard field={field} {...rest}>
        {alike.length > 0 && !all && (
          <button
            type="button"
            title={names}
            className="block max-w-full truncate text-sm text-accent"
            onClick={(event) => {
              const card = event.currentTarget.closest('section');
              transferFocus(event.currentTarget, () => card?.nextElementSibling as HTMLElement | null);
              setAll(true);
            }}
          >
            {alike.length === 1 ? `${names} says the same` : `${alike.length} more say the same: ${names}`}
          </button>
        )}
      </FieldCard>
      {all && alike.map((one) => <FieldCard key={one.field} field={one} {...rest} />)}
    </>
  );
}

/** What finds the rows of a value; of a longer one only its beginning is known. */
const termOf = (field: string, { value, cut }: ComparedField['values'][number]): string =>
  value !== null && cut ? beginTerm(field, value) : valueTerm(field, value);

function FieldCard(props: {
  field: ComparedField;
  scope: Scope;
  onQuery: (q: string) => void;
  /** Below its values. */
  children?: ReactNode;
}) {
  const { field, values, difference } = props.field;
  const [all, setAll] = useState(false);
  const shown = all ? values : values.slice(0, 5);
  return (
    <section aria-label={field} className="border-b border-line px-3 py-2">
      <h3 className="flex items-baseline gap-2">
        <code className="flex min-w-0 font-mono text-sm">
          <MiddleTruncation name={field} />
        </code>
        <span className="ml-auto text-sm text-muted" title="How much of the two does not overlap">
          {percent(difference)}
        </span>
      </h3>
      <ul>
        {shown.map((entry) => (
          <li key={entry.value ?? ''}>
            <button
              type="button"
              title={`Add ${termOf(field, entry)} to the search`}
              onClick={() =>
                props.onQuery(
                  entry.value === null || entry.cut
                    ? toggleTerm(props.scope.q, termOf(field, entry))
                    : toggleValue(props.scope.q, fieldTerm(field), entry.value),
                )
              }
              className="flex h-6 w-full items-center gap-2 rounded text-left hover:bg-hover"
            >
              <Bars selection={entry.selection} rest={entry.rest} />
              <MiddleTruncation
                name={
                  entry.value === null
                    ? 'absent'
                    : entry.value === ''
                      ? '(empty)'
                      : `${entry.value}${entry.cut ? '…' : ''}`
                }
                className={entry.value === null ? 'text-muted' : undefined}
              />
              <span className="ml-auto shrink-0 text-sm text-muted">
                <span className="text-text">{percent(entry.selection)}</span> · {percent(entry.rest)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {values.length > shown.length && (
        <button
          type="button"
          className="text-sm text-accent"
          onClick={(event) => {
            transferFocus(event.currentTarget);
            setAll(true);
          }}
        >
          {values.length - shown.length} more
        </button>
      )}
      {all && props.field.more && <p className="text-xs text-faint">only the most different values</p>}
      {props.children}
    </section>
  );
}

const UNITS: Record<ComparedNumber['unit'], (value: number | null) => string> = {
  ms: formatDuration,
  usd: formatCost,
  tokens: formatCount,
  number: formatCount,
};

function NumberCard({ number, names }: { number: ComparedNumber; names: typeof PARTS }) {
  const format = UNITS[number.unit];
  return (
    <section aria-label={number.field} className="border-b border-line px-3 py-2">
      <h3 className="flex items-baseline gap-2">
        <code className="flex min-w-0 font-mono text-sm">
          <MiddleTruncation name={number.field} />
        </code>
        <span className="ml-auto text-sm text-muted" title="Largest distance of the two distributions">
          {percent(number.difference)}
        </span>
      </h3>
      <table className="w-full table-fixed text-right text-sm">
        <thead className="text-muted">
          <tr>
            <th scope="col" className="w-24 text-left font-normal">
              <span className="sr-only">Rows</span>
            </th>
            {['p50', 'p90', 'p99'].map((name) => (
              <th key={name} scope="col" className="font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(['selection', 'rest'] as const).map((side) => (
            <tr key={side}>
              <th scope="row" className="text-left font-normal text-muted">
                {names[side]}
              </th>
              <td>{format(number[side].p50)}</td>
              <td>{format(number[side].p90)}</td>
              <td>{format(number[side].p99)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
