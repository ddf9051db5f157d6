import { MAX_ROW_FIELDS, resolveField } from '@candela/contract/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { fieldsQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { exact, nounOf } from '../../lib/format.ts';

/** Attributes that are offered at once; more words find the others. */
const OFFERED = 50;

/** Finds attributes of the rows and makes columns of them. */
export default function FieldColumns(props: {
  signal: 'spans' | 'logs';
  scope: Scope;
  /** Ids of the columns that are shown. */
  chosen: ReadonlySet<string>;
  onAdd: (field: string) => void;
}) {
  const [text, setText] = useState('');
  const prefix = useDeferredValue(text.trim());
  const found = useQuery({
    ...fieldsQuery(props.scope, props.signal, prefix),
    placeholderData: keepPreviousData,
  });
  const full = [...props.chosen].filter(isKey).length >= MAX_ROW_FIELDS;
  const offered = (found.data ?? []).filter(
    ({ field, source }) => source !== 'named' && !props.chosen.has(field),
  );
  return (
    <div className="mt-1 border-t border-line pt-1">
      <input
        type="search"
        aria-label="Find an attribute"
        placeholder="Find an attribute"
        spellCheck={false}
        value={text}
        disabled={full}
        onChange={(event) => setText(event.target.value)}
        className="my-1 h-7 w-full rounded-md border border-line bg-bg px-2"
      />
      {full ? (
        <p className="px-2 py-1 text-sm text-muted">
          At most {MAX_ROW_FIELDS} attributes at once: take one out first.
        </p>
      ) : found.isError ? (
        <p role="alert" className="px-2 py-1 text-sm text-danger">
          {found.error.message}
        </p>
      ) : (
        <ul aria-label="Attributes" className="max-h-52 overflow-auto">
          {offered.slice(0, OFFERED).map(({ field, rows }) => (
            <li key={field}>
              <button
                type="button"
                title={`${field}: in ${exact(rows)} of the newest ${nounOf(2, props.signal)}`}
                onClick={() => props.onAdd(field)}
                className="flex h-7 w-full items-center rounded px-2 text-left font-mono text-sm hover:bg-hover"
              >
                <span className="truncate">{field}</span>
              </button>
            </li>
          ))}
          {found.data !== undefined && offered.length === 0 && (
            <li className="px-2 py-1 text-sm text-muted">No attribute has this in its name.</li>
          )}
        </ul>
      )}
    </div>
  );
}

const isKey = (id: string): boolean => resolveField(id)?.kind === 'key';
