import { ChevronRight, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.ts';
import { exact, formatCount, nounOf } from '../../lib/format.ts';
import { excludeValue, toggleValue, valuesOf } from '../../lib/query-text.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { ShownFacet } from './chosen-values.ts';

const LABELS: ReadonlyMap<string, string> = new Map([
  ['kind', 'Span kind'],
  ['error_type', 'Error type'],
  ['scope_name', 'Scope'],
]);
const ATTRIBUTE = 'attributes.';
/** `finish_reason` as `Finish reason`; keys as they are, those of the row's own attributes without saying so. */
export function facetLabel(field: string): string {
  if (field.startsWith(ATTRIBUTE)) return field.slice(ATTRIBUTE.length);
  if (field.includes('.')) return field;
  const words = field.replaceAll('_', ' ');
  return LABELS.get(field) ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The values of one field; a click adds one to the query or takes it out. */
export function FacetGroup(props: {
  facet: ShownFacet;
  /** What is counted, in the plural. */
  noun: string;
  /** The numbers are what a sample says. */
  estimated: boolean;
  /** The field as the query writes it. */
  term: string;
  q: string;
  isFolded: boolean;
  onFold: () => void;
  onChange: (q: string) => void;
  /** Beside the heading. */
  action?: ReactNode;
  /** In place of the values. */
  children?: ReactNode;
}) {
  const { facet, term, q, isFolded, onChange } = props;
  const label = facetLabel(facet.field);
  const chosen = valuesOf(q, term);
  const row = ({ value, count }: ShownFacet['values'][number]) => (
    <FacetRow
      key={value}
      value={value}
      count={count}
      title={
        count === undefined
          ? 'Not counted'
          : `${props.estimated ? 'About ' : ''}${exact(count)} ${nounOf(count, props.noun)}`
      }
      chosen={chosen.includes(value)}
      onToggle={() => onChange(toggleValue(q, term, value))}
      onExclude={() => onChange(excludeValue(q, term, value))}
    />
  );
  return (
    <section className="mb-1" aria-label={label}>
      <div className="group/head flex items-start">
        <h2 className="min-w-0 grow">
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={props.onFold}
            title={facet.field === label ? undefined : facet.field}
            className="flex min-h-6 w-full items-center gap-1 rounded text-left text-sm text-muted hover:text-text"
          >
            <ChevronRight size={13} aria-hidden className={cx('shrink-0', !isFolded && 'rotate-90')} />
            <span className="min-w-0 wrap-anywhere">{label}</span>
          </button>
        </h2>
        {props.action}
      </div>
      {!isFolded &&
        (props.children ?? (
          <ul className="mb-2">
            {facet.values.slice(0, facet.top).map(row)}
            {facet.more && <li className="pl-1.5 text-xs text-faint">top {facet.top} values</li>}
            {facet.values.slice(facet.top).map(row)}
          </ul>
        ))}
    </section>
  );
}

function FacetRow(props: {
  value: string;
  count: number | undefined;
  /** The number in full, and of what. */
  title: string;
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
        <MiddleTruncation name={props.value} title="" />
        <span className="ml-auto text-sm text-muted group-hover:hidden" title={props.title}>
          {props.count === undefined ? '–' : formatCount(props.count)}
        </span>
      </button>
      <button
        type="button"
        aria-label={`Exclude ${props.value}`}
        title="Exclude"
        onClick={props.onExclude}
        className="hidden h-6 min-w-6 items-center justify-center text-muted group-focus-within:flex group-hover:flex hover:text-text pointer-coarse:flex"
      >
        <Minus size={13} aria-hidden />
      </button>
    </li>
  );
}
