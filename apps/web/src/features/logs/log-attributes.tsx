import type { Attribute, LogDetail } from '@candela/contract';
import { ListFilter, ListX } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonView, LongText } from '../../ui/json-view.tsx';
import { valueTerm } from '../explore/filter-term.ts';

const MOST = 600;
/** A value longer than this is nothing to filter by. */
const MOST_FILTER = 300;

function textOf(attribute: Attribute): string {
  if (attribute.type === 'json') return JSON.stringify(attribute.value);
  return attribute.value === null || attribute.value === undefined ? '' : String(attribute.value);
}

/** Everything that came with the record; a click on a value filters the list by it. */
export function LogAttributes({ detail, onFilter }: { detail: LogDetail; onFilter: (term: string) => void }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const fits = (attribute: Attribute) =>
    wanted === '' || `${attribute.key}\n${textOf(attribute)}`.toLowerCase().includes(wanted);
  const scope = `Scope ${detail.scope.name} ${detail.scope.version}`.trim();
  const groups = [
    { title: 'Record', source: 'attributes', entries: detail.attributes },
    { title: 'Resource', source: 'resource', entries: detail.resource },
    { title: scope, source: 'scope', entries: detail.scope.attributes },
  ].map((group) => ({ ...group, entries: group.entries.filter(fits) }));
  const total = groups.reduce((sum, group) => sum + group.entries.length, 0);
  return (
    <div className="flex flex-col gap-3 p-3">
      <input
        type="search"
        aria-label="Filter attributes"
        placeholder="Filter by key or value"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        className="h-7 rounded-md border border-line bg-surface px-2"
      />
      {total === 0 && <p className="text-muted">No attribute fits.</p>}
      {groups.map((group) =>
        group.entries.length === 0 ? null : (
          <section key={group.source}>
            <h3 className="mb-1 text-sm text-muted">{group.title}</h3>
            <dl className="rounded-md border border-line bg-surface">
              {group.entries.map((attribute, index) => (
                <Entry
                  key={`${index} ${attribute.key}`}
                  attribute={attribute}
                  field={`${group.source}.${attribute.key}`}
                  onFilter={onFilter}
                />
              ))}
            </dl>
          </section>
        ),
      )}
    </div>
  );
}

function Entry(props: { attribute: Attribute; field: string; onFilter: (term: string) => void }) {
  const { attribute, field, onFilter } = props;
  const text = textOf(attribute);
  const isFilter = attribute.type !== 'json' && text.length <= MOST_FILTER;
  return (
    <div className="group relative grid grid-cols-[minmax(120px,2fr)_minmax(0,3fr)] items-start gap-2 border-b border-line/60 px-2 py-1 last:border-0 hover:bg-hover">
      <dt className="font-mono text-sm wrap-anywhere text-muted">{attribute.key}</dt>
      <dd className="min-w-0 font-mono text-sm break-words whitespace-pre-wrap">
        {attribute.type === 'json' ? (
          <JsonView value={attribute.value} open={1} />
        ) : text === '' ? (
          <span className="text-faint">{attribute.type === 'null' ? 'null' : 'empty'}</span>
        ) : (
          <LongText text={text} most={MOST} />
        )}
      </dd>
      <dd className="absolute top-0.5 right-1 flex rounded bg-hover opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        {isFilter && (
          <>
            <FilterButton
              label={`Only records with this ${attribute.key}`}
              onClick={() => onFilter(valueTerm(field, text))}
            >
              <ListFilter size={13} aria-hidden />
            </FilterButton>
            <FilterButton
              label={`No records with this ${attribute.key}`}
              onClick={() => onFilter(`-${valueTerm(field, text)}`)}
            >
              <ListX size={13} aria-hidden />
            </FilterButton>
          </>
        )}
        <CopyButton label={`Copy ${attribute.key}`} text={() => text} className="h-5" />
      </dd>
    </div>
  );
}

function FilterButton(props: { label: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <button
      type="button"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
      className="inline-flex h-5 items-center rounded px-1 text-muted hover:text-text"
    >
      {props.children}
    </button>
  );
}
