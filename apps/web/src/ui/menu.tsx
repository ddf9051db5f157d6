import { Check } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useRef } from 'react';
import { type Align, Floating, type Side } from './floating.tsx';
import { SearchedChoices } from './searched-choices.tsx';
import { MiddleTruncation } from './middle-truncation.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** More than these are found by words. */
const MOST_WALKED = 24;
const ITEM = '[role=menuitemradio]';
/** Letters typed within this time are one word. */
const WORD_MS = 600;

interface ChoiceMenuProps {
  trigger: ComponentProps<typeof Floating>['trigger'];
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
  side?: Side;
  align?: Align;
}

/** Chooses one of several values: from a menu, or where they are many by words. */
export function ChoiceMenu(props: ChoiceMenuProps) {
  return props.choices.length > MOST_WALKED ? <SearchedChoices {...props} /> : <WalkedChoices {...props} />;
}

/** A menu that chooses one of several values; arrows walk, letters jump. */
function WalkedChoices(props: ChoiceMenuProps) {
  const typed = useRef({ word: '', at: 0 });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, close: () => void) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>(ITEM)];
    const at = items.findIndex((item) => item === document.activeElement);
    const go = (index: number) => items[(index + items.length) % items.length]?.focus();
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at <= 0 ? items.length - 1 : at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(items.length - 1);
    else if (event.key === 'Tab') close();
    else if (event.key.length === 1 && event.key !== ' ' && !event.metaKey && !event.ctrlKey) {
      const now = Date.now();
      const word = (now - typed.current.at < WORD_MS ? typed.current.word : '') + event.key.toLowerCase();
      typed.current = { word, at: now };
      const order = [...items.slice(at + (word.length === 1 ? 1 : 0)), ...items];
      order.find((item) => item.dataset['text']?.startsWith(word))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Floating
      trigger={props.trigger}
      role="menu"
      label={props.label}
      side={props.side}
      align={props.align ?? 'start'}
      className="max-h-96 min-w-44 p-1"
      firstFocus={(panel) =>
        panel.querySelector<HTMLElement>(`${ITEM}[aria-checked=true]`) ??
        panel.querySelector<HTMLElement>(ITEM)
      }
      onKeyDown={onKeyDown}
    >
      {(close) =>
        props.choices.map((choice) => (
          <button
            key={choice.value}
            type="button"
            role="menuitemradio"
            aria-checked={choice.value === props.value}
            tabIndex={-1}
            data-text={choice.label.toLowerCase()}
            onPointerMove={(event) => event.currentTarget.focus()}
            onClick={() => {
              close();
              props.onChoose(choice.value);
            }}
            className="flex h-7 w-full items-center gap-2 rounded px-2 text-left outline-none focus:bg-hover"
          >
            <span className="w-3.5 shrink-0">
              {choice.value === props.value && <Check size={14} aria-hidden />}
            </span>
            <MiddleTruncation name={choice.label} />
            {choice.hint !== undefined && <span className="ml-auto pl-4 text-muted">{choice.hint}</span>}
          </button>
        ))
      }
    </Floating>
  );
}
