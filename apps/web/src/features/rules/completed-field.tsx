import { useId, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { SuggestionList } from '../../ui/suggestion-list.tsx';

/** What a field may be completed to. */
export interface Completion {
  readonly text: string;
  readonly hint: string;
}

/** One line of text that offers what it may be; arrows choose, Enter or Tab takes, anything else may be typed. */
export function CompletedField(props: {
  label: string;
  value: string;
  placeholder: string;
  maxLength: number;
  completions: readonly Completion[];
  disabled: boolean;
  invalid: boolean;
  describedBy: string | undefined;
  onValue: (value: string) => void;
  onTake: (completion: Completion) => void;
  /** Hears when the completions are wanted. */
  onOpen: (open: boolean) => void;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { completions } = props;
  const show = (next: boolean) => {
    setOpen(next);
    setActive(-1);
    props.onOpen(next);
  };
  const take = (completion: Completion) => {
    props.onTake(completion);
    show(false);
  };
  const shown = open && completions.length > 0;
  return (
    <div className="relative min-w-0">
      <input
        role="combobox"
        aria-label={props.label}
        aria-expanded={shown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={props.invalid ? true : undefined}
        aria-describedby={props.describedBy}
        autoComplete="off"
        spellCheck={false}
        disabled={props.disabled}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        value={props.value}
        onChange={(event) => {
          props.onValue(event.target.value);
          show(true);
        }}
        onFocus={() => show(true)}
        onBlur={() => show(false)}
        onKeyDown={(event) => {
          const count = completions.length;
          const chosen = completions[active];
          if (event.key === 'ArrowDown' && count > 0) {
            setOpen(true);
            setActive((active + 1) % count);
          } else if (event.key === 'ArrowUp' && shown) setActive((active <= 0 ? count : active) - 1);
          else if ((event.key === 'Enter' || event.key === 'Tab') && shown && chosen !== undefined) {
            if (event.key === 'Tab') {
              props.onTake(chosen);
              return;
            }
            take(chosen);
          } else if (event.key === 'Escape' && shown) {
            // Escape closes the list first, and only then leaves the page.
            event.stopPropagation();
            show(false);
          } else return;
          event.preventDefault();
        }}
        className={cx(
          'h-8 w-full rounded-md border border-line bg-bg px-2 font-mono text-sm placeholder:font-sans placeholder:text-faint disabled:opacity-60',
          props.invalid && 'border-danger',
        )}
      />
      <SuggestionList
        id={id}
        label={`Suggestions, ${props.label}`}
        open={open}
        items={completions}
        active={active}
        keyOf={(completion) => completion.text}
        textOf={(completion) => completion.text}
        hintOf={(completion) => completion.hint}
        onTake={take}
        className="top-9 max-h-72 w-full min-w-72"
      />
    </div>
  );
}
