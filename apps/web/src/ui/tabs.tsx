import type { KeyboardEvent, ReactNode } from 'react';
import { cx } from '../lib/cx.ts';

export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
}

/** Keys of a row of tabs: arrows walk round, Home and End lead to its ends; the chosen one takes the focus. */
export function walkTabs<Value extends string>(
  event: KeyboardEvent<HTMLElement>,
  values: readonly Value[],
  chosen: Value,
  choose: (value: Value) => void,
): void {
  const last = values.length - 1;
  const at = values.indexOf(chosen);
  const next = new Map([
    ['ArrowRight', at === last ? 0 : at + 1],
    ['ArrowLeft', at <= 0 ? last : at - 1],
    ['Home', 0],
    ['End', last],
  ]).get(event.key);
  const value = next === undefined ? undefined : values[next];
  if (next === undefined || value === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  choose(value);
  event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
}

/** Tabs of one panel; arrows walk. Give list and panel the same `id`. */
export function TabList<Value extends string>(props: {
  id: string;
  label: string;
  tabs: readonly Tab<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
  /** Size of a tab. */
  tabClassName?: string;
}) {
  const values = props.tabs.map((tab) => tab.value);
  return (
    <div
      role="tablist"
      aria-label={props.label}
      className="flex overflow-x-auto"
      onKeyDown={(event) => walkTabs(event, values, props.value, props.onChoose)}
    >
      {props.tabs.map((tab) => {
        const chosen = tab.value === props.value;
        return (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${props.id}-${tab.value}`}
            aria-selected={chosen}
            aria-controls={`${props.id}-panel`}
            tabIndex={chosen ? 0 : -1}
            onClick={() => props.onChoose(tab.value)}
            className={cx(
              'shrink-0 border-b-2 whitespace-nowrap',
              chosen ? 'border-accent-fill text-text' : 'border-transparent text-muted hover:text-text',
              props.tabClassName ?? 'h-8 px-3',
            )}
          >
            {tab.label}
          </button>
        );
      })}
    </div>
  );
}

/** What the chosen tab shows. */
export function TabPanel(props: { id: string; value: string; className?: string; children: ReactNode }) {
  return (
    <div
      role="tabpanel"
      id={`${props.id}-panel`}
      aria-labelledby={`${props.id}-${props.value}`}
      tabIndex={0}
      className={props.className}
    >
      {props.children}
    </div>
  );
}
