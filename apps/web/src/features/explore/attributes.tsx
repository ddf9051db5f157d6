import type { Attribute } from '@candela/contract';
import { Fragment, type ReactNode, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonView, LongText } from '../../ui/json-view.tsx';

/** Characters of a value that are shown before it is unfolded. */
const MOST = 600;
/** A value longer than this is nothing to filter by. */
const MOST_FILTER = 300;

/** Beside an attribute: what can be done with its field (`resource.host.name`) and value. */
type Actions = (attribute: { key: string; field: string; value: string }) => ReactNode;

interface Group {
  readonly title: string;
  readonly source: 'attributes' | 'resource' | 'scope';
  readonly entries: readonly Attribute[];
}

/** The groups of attributes of a record: its own, those of its resource and of its scope. */
export const groupsOf = (
  title: string,
  detail: {
    readonly attributes: readonly Attribute[];
    readonly resource: readonly Attribute[];
    readonly scope: {
      readonly name: string;
      readonly version: string;
      readonly attributes: readonly Attribute[];
    };
  },
): Group[] => [
  { title, source: 'attributes', entries: detail.attributes },
  { title: 'Resource', source: 'resource', entries: detail.resource },
  {
    title: `Scope ${detail.scope.name} ${detail.scope.version}`.trim(),
    source: 'scope',
    entries: detail.scope.attributes,
  },
];

/** The value as one text. */
function textOf(attribute: Attribute): string {
  if (attribute.type === 'json') return JSON.stringify(attribute.value);
  return attribute.value === null || attribute.value === undefined ? '' : String(attribute.value);
}

/** Everything the sender attached, found by key or value. */
export function AttributeGroups({ groups, actions }: { groups: readonly Group[]; actions: Actions }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const fits = (attribute: Attribute) =>
    wanted === '' || `${attribute.key}\n${textOf(attribute)}`.toLowerCase().includes(wanted);
  const shown = groups
    .map((group) => ({ ...group, entries: group.entries.filter(fits) }))
    .filter(({ entries }) => entries.length > 0);
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
      {shown.length === 0 && <p className="text-muted">No attribute fits.</p>}
      {shown.map((group) => (
        <section key={group.source}>
          <h3 className="mb-1 text-sm text-muted">{group.title}</h3>
          <AttributeTable source={group.source} entries={group.entries} actions={actions} />
        </section>
      ))}
    </div>
  );
}

/** Keys and values; without `actions` they are only shown and copied. */
export function AttributeTable(props: {
  entries: readonly Attribute[];
  source?: Group['source'];
  actions?: Actions;
}) {
  const { entries, source = 'attributes', actions } = props;
  return (
    <dl className="rounded-md border border-line bg-surface">
      {entries.map((attribute, index) => {
        const { key, type } = attribute;
        const value = textOf(attribute);
        return (
          <div
            key={`${index} ${key}`}
            className="group relative grid grid-cols-[minmax(120px,2fr)_minmax(0,3fr)] items-start gap-2 border-b border-line/60 px-2 py-1 last:border-0 hover:bg-hover"
          >
            <dt className="font-mono text-sm wrap-anywhere text-muted">
              {key.split(/(?<=[._/])/).map((part, at) => (
                <Fragment key={at}>
                  {part}
                  <wbr />
                </Fragment>
              ))}
            </dt>
            <dd className="min-w-0 font-mono text-sm break-words whitespace-pre-wrap">
              <Value attribute={attribute} />
            </dd>
            <dd className="absolute top-0.5 right-1 flex rounded bg-hover opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
              {type !== 'json' &&
                value.length <= MOST_FILTER &&
                actions?.({ key, field: `${source}.${key}`, value })}
              <CopyButton label={`Copy ${key}`} text={() => value} className="h-5" />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Value({ attribute }: { attribute: Attribute }): ReactNode {
  if (attribute.type === 'json') return <JsonView value={attribute.value} open={1} />;
  if (attribute.type === 'null') return <span className="text-faint">null</span>;
  const text = textOf(attribute);
  return text === '' ? <span className="text-faint">empty</span> : <LongText text={text} most={MOST} />;
}
