import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { cx } from '../lib/cx.ts';
import { findByWords } from '../lib/find-by-words.ts';

const BOX =
  'w-full rounded-md border border-line bg-bg px-2 text-text placeholder:text-faint disabled:opacity-60 aria-invalid:border-danger';

interface FieldProps {
  label: string;
  /** Stands below: what to write, or what it means. */
  hint?: ReactNode;
  /** What is wrong with it; takes the place of the hint. */
  error?: string | undefined;
  className?: string | undefined;
}

/** A label, its control and what is to be said about it. */
function Field(
  props: FieldProps & {
    children: (control: {
      id: string;
      'aria-describedby': string | undefined;
      'aria-invalid': true | undefined;
    }) => ReactNode;
  },
) {
  const id = useId();
  const note = props.error ?? props.hint;
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', props.className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {props.label}
      </label>
      {props.children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': props.error === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={cx('text-sm', props.error === undefined ? 'text-muted' : 'text-danger')}
        >
          {note}
        </p>
      )}
    </div>
  );
}

type Control<Tag extends 'input' | 'select' | 'textarea'> = Omit<
  ComponentProps<Tag>,
  'className' | 'id' | 'onChange' | 'value'
> &
  FieldProps & { value: string; onValue: (value: string) => void };

/** One line of text; `type` as of an input. */
export function TextField({ label, hint, error, className, onValue, ...rest }: Control<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <input
          {...control}
          {...rest}
          onChange={(event) => onValue(event.target.value)}
          className={cx(BOX, 'h-8')}
        />
      )}
    </Field>
  );
}

/** Several lines of text. */
export function TextArea({ label, hint, error, className, onValue, ...rest }: Control<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <textarea
          {...control}
          {...rest}
          onChange={(event) => onValue(event.target.value)}
          className={cx(BOX, 'py-1 font-mono text-sm')}
        />
      )}
    </Field>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** One of a few values, by the browser's own list. */
export function SelectField({
  label,
  hint,
  error,
  className,
  onValue,
  options,
  ...rest
}: Control<'select'> & { options: readonly Option[] }) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <select
          {...control}
          {...rest}
          onChange={(event) => onValue(event.target.value)}
          className={cx(BOX, 'h-8')}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Yes or no, with its words beside it. */
export function CheckField(props: {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex min-h-6 gap-2">
      <input
        id={id}
        type="checkbox"
        checked={props.checked}
        disabled={props.disabled}
        aria-describedby={props.hint === undefined ? undefined : `${id}-note`}
        onChange={(event) => props.onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent-fill"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="wrap-anywhere">
          {props.label}
        </label>
        {props.hint !== undefined && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {props.hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** More than these are found by words. */
const MOST_SEEN = 24;

/** Any of several values, under one name. */
export function CheckList(props: {
  label: string;
  hint?: ReactNode;
  options: readonly (Option & { readonly hint?: string })[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const many = props.options.length > MOST_SEEN;
  const shown = many ? findByWords(props.options, typed, (option) => option.label) : props.options;
  const chosen = props.options.filter((option) => props.chosen.includes(option.value)).length;
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{props.label}</legend>
      {many && (
        <div className="flex items-center gap-3">
          <input
            type="search"
            aria-label={`Find ${props.label.toLowerCase()}`}
            placeholder={`Find among ${props.options.length}`}
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            // What is sought is not what is to be sent.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            className={cx(BOX, 'h-8 min-w-0')}
          />
          <span role="status" className="shrink-0 text-sm text-muted">
            {typed.trim() === '' ? '' : `${shown.length} found, `}
            {chosen} chosen
          </span>
        </div>
      )}
      <div
        className={cx(
          'grid grid-cols-2 gap-x-4 gap-y-1 max-sm:grid-cols-1',
          many && 'max-h-60 overflow-y-auto rounded-md border border-line p-2',
        )}
      >
        {shown.map((option) => (
          <CheckField
            key={option.value}
            label={option.label}
            {...(option.hint === undefined ? {} : { hint: option.hint })}
            checked={props.chosen.includes(option.value)}
            onChange={(checked) =>
              props.onChange(
                props.options
                  .map((each) => each.value)
                  .filter((value) => (value === option.value ? checked : props.chosen.includes(value))),
              )
            }
          />
        ))}
      </div>
      {props.hint !== undefined && <p className="text-sm text-muted">{props.hint}</p>}
    </fieldset>
  );
}
