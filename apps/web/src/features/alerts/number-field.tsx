import type { AlertKind, AlertSourceInput } from '@candela/contract';
import { useState } from 'react';
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

/** A text that stands for something else, and keeps what is typed while that is not complete: a list up to its comma. */
export function ReadField(props: {
  label: string;
  hint?: string;
  initial: string;
  onText: (text: string) => void;
}) {
  const [text, setText] = useState(props.initial);
  return (
    <TextField
      label={props.label}
      hint={props.hint}
      value={text}
      onValue={(next) => {
        setText(next);
        props.onText(next);
      }}
    />
  );
}
