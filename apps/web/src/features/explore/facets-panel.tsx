import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { ChevronRight, ListFilter, Minus } from 'lucide-react';
import { facetsQuery, type Scope } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { exact, formatCount } from '../../lib/format.ts';
import { type Preference, preference } from '../../lib/preference.ts';
import { Button } from '../../ui/button.tsx';
import { FailureLine } from '../../ui/states.tsx';
import { Popover } from '../../ui/popover.tsx';
import type { ExploreConfig } from './explore-config.ts';
import { excludeValue, toggleValue, valuesOf, withoutField } from '../../lib/query-text.ts';

const LABELS: ReadonlyMap<string, string> = new Map([
  ['kind', 'Span kind'],
  ['error_type', 'Error type'],
  ['scope_name', 'Scope'],
]);
/** `finish_reason` as `Finish reason`. */
const labelOf = (field: string): string => {
  const words = field.replaceAll('_', ' ');
  return LABELS.get(field) ?? words.slice(0, 1).toUpperCase() + words.slice(1);
};
const isText = (text: string): text is string => text.length < 400;
const foldedOf = new Map<string, Preference<string>>();
/** Which groups are folded is a choice of the person, kept by signal. */
function foldedPreference(config: ExploreConfig): Preference<string> {
  const known = foldedOf.get(config.noun);
  if (known) return known;
  const name = config.noun === 'spans' ? 'facets.folded' : `facets.folded.${config.noun}`;
  const made = preference(name, (config.folded ?? []).join(' '), isText);
  foldedOf.set(config.noun, made);
  return made;
}

interface FacetsProps {
  config: ExploreConfig;
  scope: Scope;
  onChange: (q: string) => void;
}

/** The facets beside the rows; a narrow window has them behind a button. */
export function FacetsPanel(props: FacetsProps) {
  return (
    <aside
      aria-label="Facets"
      className="w-52 shrink-0 overflow-auto border-r border-line px-2 py-2 max-lg:hidden xl:w-56"
    >
      <Facets {...props} />
    </aside>
  );
}

/** The same facets in a panel of a button that only a narrow window has. */
export function FacetsButton(props: FacetsProps) {
  return (
    <Popover
      label="Facets"
      align="start"
      className="w-64 p-2"
      trigger={
        <Button className="h-8 lg:hidden" title="Filter by the most frequent values">
          <ListFilter size={14} className="text-muted" aria-hidden />
          Facets
        </Button>
      }
    >
      <Facets {...props} />
    </Popover>
  );
}

/** The most frequent values under the query; a click adds one to the query or takes it out. */
function Facets(props: FacetsProps) {
  const { q } = props.scope;
  const { signal, facets } = props.config;
  const folded = foldedPreference(props.config);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...facetsQuery(props.scope, facets, { signal }),
    placeholderData: keepPreviousData,
  });
  // What was chosen of a field must not hide the field's other values: those are counted without its own term.
  const asked = facets.filter((field) => valuesOf(q, field).length > 0);
  const others = useQueries({
    queries: asked.map((field) => ({
      ...facetsQuery({ ...props.scope, q: withoutField(q, field) }, [field], { signal }),
      placeholderData: keepPreviousData,
    })),
  });
  const foldedNames = folded.use().split(' ');
  const groups = facets
    .map((field) => {
      const found = [others[asked.findIndex((one) => one === field)]?.data, data].find((answer) => answer);
      return found?.data.find((facet) => facet.field === field);
    })
    .filter((facet) => facet !== undefined);
  return (
    <div className={cx(isPlaceholderData && 'opacity-60')}>
      {data === undefined && !error && (
        <div role="status" aria-label="Loading facets" className="flex flex-col gap-2 p-1">
          {Array.from({ length: 14 }, (_, index) => (
            <div key={index} className="skeleton h-4" style={{ width: `${50 + ((index * 29) % 45)}%` }} />
          ))}
        </div>
      )}
      {error && (
        <FailureLine
          what="Facets"
          error={error}
          onRetry={() => void refetch()}
          className="p-1 wrap-anywhere"
        />
      )}
      {groups.map((facet) => {
        const values = facet.values.filter((entry) => entry.value !== '');
        if (values.length === 0) return null;
        const isFolded = foldedNames.includes(facet.field);
        const chosen = valuesOf(props.scope.q, facet.field);
        return (
          <section key={facet.field} className="mb-1" aria-label={labelOf(facet.field)}>
            <h2>
              <button
                type="button"
                aria-expanded={!isFolded}
                onClick={() =>
                  folded.set(
                    (isFolded
                      ? foldedNames.filter((name) => name !== facet.field)
                      : [...foldedNames, facet.field]
                    ).join(' '),
                  )
                }
                className="flex h-6 w-full items-center gap-1 rounded text-sm text-muted hover:text-text"
              >
                <ChevronRight size={13} aria-hidden className={cx(!isFolded && 'rotate-90')} />
                {labelOf(facet.field)}
              </button>
            </h2>
            {!isFolded && (
              <ul className="mb-2">
                {values.map((entry) => (
                  <FacetRow
                    key={entry.value}
                    value={entry.value}
                    count={entry.count}
                    chosen={chosen.includes(entry.value)}
                    onToggle={() => props.onChange(toggleValue(props.scope.q, facet.field, entry.value))}
                    onExclude={() => props.onChange(excludeValue(props.scope.q, facet.field, entry.value))}
                  />
                ))}
                {facet.more && <li className="pl-1.5 text-xs text-faint">top {values.length} values</li>}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}

function FacetRow(props: {
  value: string;
  count: number;
  chosen: boolean;
  onToggle: () => void;
  onExclude: () => void;
}) {
  return (
    <li className="group flex items-center rounded hover:bg-hover">
      <button
        type="button"
        aria-pressed={props.chosen}
        onClick={props.onToggle}
        title={props.value}
        className="flex h-6 min-w-0 grow items-center gap-1.5 rounded pr-1 pl-1.5 text-left aria-pressed:bg-selected"
      >
        <span
          className={cx(
            'size-2.5 shrink-0 rounded-xs border',
            props.chosen ? 'border-accent bg-accent-fill' : 'border-line-strong',
          )}
        />
        <span className="truncate">{props.value}</span>
        <span className="ml-auto text-sm text-muted group-hover:hidden" title={exact(props.count)}>
          {formatCount(props.count)}
        </span>
      </button>
      <button
        type="button"
        aria-label={`Exclude ${props.value}`}
        title="Exclude"
        onClick={props.onExclude}
        className="hidden h-6 items-center px-1 text-muted group-focus-within:flex group-hover:flex hover:text-text pointer-coarse:flex"
      >
        <Minus size={13} aria-hidden />
      </button>
    </li>
  );
}
