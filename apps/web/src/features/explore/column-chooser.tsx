import type { EventKind } from '@candela/contract';
import { Columns3 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { SkeletonRows } from '../../ui/states.tsx';

const ColumnList = lazy(() => import('./column-list.tsx'));

interface Column {
  readonly id: string;
  readonly label: string;
  readonly shown: boolean;
}

export interface ColumnChoice {
  readonly all: readonly Column[];
  readonly chosen: readonly Column[];
  readonly onChange: (cols: string | undefined) => void;
  /** Any attribute of these rows may be a column too. */
  readonly fields?: { readonly signal: EventKind; readonly scope: Scope };
}

/** Chooses the columns; the choice goes into the URL, the default ones leave it. */
export function ColumnChooser(props: ColumnChoice) {
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
      <Suspense fallback={<SkeletonRows label="Loading columns" rows={6} />}>
        <ColumnList {...props} />
      </Suspense>
    </Popover>
  );
}
