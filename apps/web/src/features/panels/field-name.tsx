import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { fieldsQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { TextField } from '../../ui/field.tsx';

/** The name of one field, typed or taken from what the rows have. */
export function FieldName(props: {
  label: string;
  hint?: string;
  signal: 'spans' | 'logs';
  scope: Scope;
  value: string;
  onValue: (field: string) => void;
}) {
  const id = useId();
  const typed = useDebounced(props.value.trim(), 200);
  const found = useQuery(fieldsQuery(props.scope, props.signal, typed));
  return (
    <>
      <TextField
        label={props.label}
        hint={props.hint}
        list={id}
        value={props.value}
        onValue={(text) => props.onValue(text.trim())}
        spellCheck={false}
        autoComplete="off"
        maxLength={300}
      />
      <datalist id={id}>
        {(found.data ?? []).map(({ field }) => (
          <option key={field} value={field} />
        ))}
      </datalist>
    </>
  );
}
