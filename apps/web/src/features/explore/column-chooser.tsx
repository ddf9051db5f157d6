import { Columns3 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { Button } from '../../ui/button.tsx';
import { CutName } from '../../ui/cut-name.tsx';
import { Popover } from '../../ui/popover.tsx';
import { printColumns } from './columns.ts';

const FieldColumns = lazy(() => import('./field-columns.tsx'));

interface Column {
  readonly id: string;
  readonly label: string;
  readonly shown: boolean;
}

/** Chooses the columns; the choice goes into the URL, the default ones leave it. */
export function ColumnChooser(props: {
  all: readonly Column[];
  chosen: readonly Column[];
  onChange: (cols: string | undefined) => void;
  /** Any attribute of these rows may be a column too. */
  fields?: { readonly signal: 'spans' | 'logs'; readonly scope: Scope };
}) {
  const chosen = new Set(props.chosen.map((column) => column.id));
  const toggle = (id: string) => {
    const next = props.all.filter((column) => (column.id === id ? !chosen.has(id) : chosen.has(column.id)));
    const isDefault = props.all.every((column) => column.shown === next.includes(column));
    props.onChange(
      isDefault || next.length === 0 ? undefined : printColumns(next.map((column) => column.id)),
    );
  };
  return (
    <Popover
      label="Columns"
      className={props.fields ? 'w-96 max-w-[92vw] p-1' : 'w-60 p-1'}
      trigger={
        <Button look="plain" className="h-8" aria-label="Choose columns" title="Choose columns">
          <Columns3 size={15} aria-hidden />
        </Button>
      }
    >
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
              <CutName name={column.label} />
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
    </Popover>
  );
}
