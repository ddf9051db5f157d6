import { useId, useState } from 'react';
import { cx } from '../../lib/cx.ts';

/** A value as it is typed or pasted, of any number of lines; covered unless asked. No browser keeps or checks it. */
export function SecretValueField(props: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  autoFocus?: boolean;
}) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const lines = props.value === '' ? 0 : props.value.split('\n').length;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-center">
        <label htmlFor={id} className="text-sm font-medium">
          {props.label}
        </label>
        <button
          type="button"
          aria-pressed={shown}
          aria-label={`Show ${props.label.toLowerCase()}`}
          onClick={() => setShown(!shown)}
          className="ml-auto min-h-6 rounded px-1 text-sm text-muted hover:text-text"
        >
          {shown ? 'Hide' : 'Show'}
        </button>
      </div>
      <textarea
        id={id}
        rows={4}
        required
        autoFocus={props.autoFocus}
        autoComplete="off"
        autoCorrect="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-describedby={`${id}-note`}
        value={props.value}
        onChange={(event) => props.onValue(event.target.value)}
        className={cx(
          'w-full rounded-md border border-line bg-bg px-2 py-1 font-mono text-sm',
          !shown && '[-webkit-text-security:disc]',
        )}
      />
      <p id={`${id}-note`} className="text-sm text-muted">
        {lines > 1 ? `${lines} lines. ` : ''}Stored as it is, with every space and line end.
      </p>
    </div>
  );
}
