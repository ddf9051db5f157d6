import type { Attribute, SpanDetail } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonView, LongText } from '../../ui/json-view.tsx';
import { quoted } from '../../lib/query-text.ts';

const MOST = 600;

/** The value as one text. */
function attributeText(attribute: Attribute): string {
  if (attribute.type === 'json') return JSON.stringify(attribute.value);
  return attribute.value === null || attribute.value === undefined ? '' : String(attribute.value);
}

const keyText = (key: string) =>
  /^[\p{L}\p{N}_.\-/]+$/u.test(key) ? key : `"${key.replaceAll(/["\\]/g, '\\$&')}"`;

/** Everything the sender attached: span, resource and scope, filterable; a click filters the Traces page by it. */
export function AttributesTab({ detail }: { detail: SpanDetail }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const fits = (attribute: Attribute) =>
    wanted === '' || `${attribute.key}\n${attributeText(attribute)}`.toLowerCase().includes(wanted);
  const groups = [
    { title: 'Span', source: 'attributes', entries: detail.attributes },
    { title: 'Resource', source: 'resource', entries: detail.resource },
    {
      title: `Scope ${detail.scope.name} ${detail.scope.version}`.trim(),
      source: 'scope',
      entries: detail.scope.attributes,
    },
  ];
  const shown = groups.map((group) => ({ ...group, entries: group.entries.filter(fits) }));
  const total = shown.reduce((sum, group) => sum + group.entries.length, 0);
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
      {shown.map((group) =>
        group.entries.length === 0 ? null : (
          <section key={group.source}>
            <h3 className="mb-1 text-sm text-muted">{group.title}</h3>
            <AttributeTable source={group.source} entries={group.entries} />
          </section>
        ),
      )}
    </div>
  );
}

/** Keys and values; `source` (attributes, resource, scope) makes them filters, without it they are only shown. */
export function AttributeTable({ entries, source }: { entries: readonly Attribute[]; source?: string }) {
  return (
    <dl className="rounded-md border border-line bg-surface">
      {entries.map((attribute, index) => (
        <div
          key={`${index} ${attribute.key}`}
          className="group grid relative grid-cols-[minmax(120px,2fr)_minmax(0,3fr)] items-start gap-2 border-b border-line/60 px-2 py-1 last:border-0 hover:bg-hover"
        >
          <dt className="font-mono text-sm wrap-anywhere text-muted">
            {attribute.key.split(/(?<=[._/])/).map((part, at) => (
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
            {source !== undefined && attribute.type !== 'json' && attributeText(attribute).length <= 300 && (
              <Link
                to="/traces"
                search={{ q: `${source}.${keyText(attribute.key)}:${quoted(attributeText(attribute))}` }}
                aria-label={`Find traces with this ${attribute.key}`}
                title="Find traces with this value"
                className="inline-flex h-5 items-center rounded px-1 text-muted hover:text-text"
              >
                <ListFilter size={13} aria-hidden />
              </Link>
            )}
            <CopyButton
              label={`Copy ${attribute.key}`}
              text={() => attributeText(attribute)}
              className="h-5"
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ attribute }: { attribute: Attribute }): ReactNode {
  if (attribute.type === 'json') return <JsonView value={attribute.value} open={1} />;
  if (attribute.type === 'null') return <span className="text-faint">null</span>;
  const text = attributeText(attribute);
  return text === '' ? <span className="text-faint">empty</span> : <LongText text={text} most={MOST} />;
}
