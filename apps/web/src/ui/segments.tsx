import { cx } from '../lib/cx.ts';

/** A few ways to see the same thing, side by side; one is pressed. */
export function Segments<Value extends string>(props: {
  label: string;
  value: Value;
  choices: readonly Value[];
  /** What a choice is called; absent: as it is. */
  nameOf?: (value: Value) => string;
  onChoose: (value: Value) => void;
  size?: 'small';
}) {
  return (
    <div
      role="group"
      aria-label={props.label}
      className={cx(
        'flex shrink-0 items-center rounded-md border border-line bg-surface p-0.5 max-sm:max-w-full max-sm:overflow-x-auto',
        props.size === 'small' ? 'h-6 text-sm' : 'h-8',
      )}
    >
      {props.choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === props.value}
          onClick={() => props.onChoose(choice)}
          className="h-full rounded px-2 whitespace-nowrap text-muted first-letter:capitalize hover:text-text aria-pressed:bg-selected aria-pressed:text-text"
        >
          {props.nameOf?.(choice) ?? choice}
        </button>
      ))}
    </div>
  );
}
