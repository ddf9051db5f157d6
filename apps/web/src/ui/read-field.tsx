import { useState } from 'react';
import { TextField } from './field.tsx';

/** A text that stands for something else, and keeps what is typed while that is not complete: a list up to its comma. */
export function ReadField(props: {
  label: string;
  hint?: string;
  error?: string | undefined;
  initial: string;
  onText: (text: string) => void;
}) {
  const [text, setText] = useState(props.initial);
  return (
    <TextField
      label={props.label}
      hint={props.hint}
      error={props.error}
      value={text}
      onValue={(next) => {
        setText(next);
        props.onText(next);
      }}
    />
  );
}
