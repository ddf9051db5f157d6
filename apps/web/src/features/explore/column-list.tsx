import { lazy, Suspense } from 'react';
import { cx } from '../../lib/cx.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { ColumnChoice } from './column-chooser.tsx';
import { printColumns } from './columns.ts';

const FieldColumns = lazy(() => import('./field-columns.tsx'));

/** The columns with a box each, and where any attribute may be one, a search for it. */
export default function ColumnList(props: ColumnChoice) {
  const chosen = new Set(props.chosen.map((column) => column.id));
  const toggle = (id: string) => {
    const next = props.all.filter((column) => (column.id === id ? !chosen.has(id) : chosen.has(column.id)));
    const isDefault = props.all.every((column) => column.shown === next.includes(column));
    props.onChange(
      isDefault || next.length === 0 ? undefined : printColumns(next.map((column) => column.id)),
    );
  };
  return (
    <>
      <div className={cx(props.fields && 'grid grid-cols-2')}>
        {props.all
          .filter((column) => column.label !== '')
          .map((column) => (
            <label
              key={column.id}
              className="flex h-7 cursor-pointer items-center gap-2 rounded px-2 hover:bg-hover"
            >
              <input
                type="checkbox"
                checked={chosen.has(column.id)}
                onChange={() => toggle(column.id)}
                className="accent-accent-fill"
              />
              <MiddleTruncation name={column.label} />
            </label>
          ))}
      </div>
      {props.fields && (
        <Suspense>
          <FieldColumns
            {...props.fields}
            chosen={chosen}
            onAdd={(field) => props.onChange(printColumns([...chosen, field]))}
          />
        </Suspense>
      )}
    </>
  );
}
