import type { EventKind } from '@candela/contract';
import { keyField, MAX_ROW_FIELDS } from '@candela/contract/filter';
import type { Scope } from '../../api/telemetry.ts';
import { FieldList } from './field-list.tsx';

/** Finds attributes of the rows and makes columns of them. */
export default function FieldColumns(props: {
  signal: EventKind;
  scope: Scope;
  /** Ids of the columns that are shown. */
  chosen: ReadonlySet<string>;
  onAdd: (field: string) => void;
}) {
  const isFull = [...props.chosen].filter(isKey).length >= MAX_ROW_FIELDS;
  return (
    <div className="mt-1 border-t border-line pt-1">
      <FieldList
        label="Find an attribute"
        signal={props.signal}
        scope={props.scope}
        full={isFull ? `At most ${MAX_ROW_FIELDS} attributes at once: take one out first.` : undefined}
        isOffered={(field) => !props.chosen.has(field)}
        onAdd={props.onAdd}
      />
    </div>
  );
}

const isKey = (id: string): boolean => keyField(id) !== undefined;
