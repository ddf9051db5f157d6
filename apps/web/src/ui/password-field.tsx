import { useState } from 'react';
import { TextField } from './field.tsx';

/** A password that can be looked at while it is typed. */
export function PasswordField(props: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** A new one is offered by the browser's own store, an old one is filled from it. */
  kind: 'new' | 'current';
  hint?: string;
  autoFocus?: boolean;
}) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <TextField
        label={props.label}
        type={shown ? 'text' : 'password'}
        autoComplete={props.kind === 'new' ? 'new-password' : 'current-password'}
        required
        autoFocus={props.autoFocus}
        value={props.value}
        onValue={props.onValue}
        {...(props.kind === 'new' ? { minLength: 8, maxLength: 128 } : { maxLength: 1_024 })}
        {...(props.hint === undefined ? {} : { hint: props.hint })}
      />
      <button
        type="button"
        aria-pressed={shown}
        aria-label={`Show ${props.label.toLowerCase()}`}
        onClick={() => setShown(!shown)}
        className="absolute top-0 right-0 min-h-6 rounded px-1 text-sm text-muted hover:text-text"
      >
        {shown ? 'Hide' : 'Show'}
      </button>
    </div>
  );
}
