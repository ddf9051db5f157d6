import type { AlertKind, AlertSourceInput } from '@candela/contract';
import { TextField } from '../../ui/field.tsx';

/** What the fields of a kind are given. */
export interface SourceProps<Kind extends AlertKind = AlertKind> {
  source: Extract<AlertSourceInput, { kind: Kind }>;
  onChange: (source: AlertSourceInput) => void;
}

/** A number that may be empty while it is typed. */
export function NumberField(props: {
  label: string;
  hint?: string;
  value: number | undefined;
  min?: number;
  onValue: (value: number | undefined) => void;
}) {
  return (
    <TextField
      label={props.label}
      hint={props.hint}
      type="number"
      step="any"
      min={props.min}
      value={props.value === undefined ? '' : String(props.value)}
      onValue={(text) => props.onValue(text === '' ? undefined : Number(text))}
    />
  );
}
