import type { KeyboardEvent, ReactNode } from 'react';
import { cx } from '../lib/cx.ts';

export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
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
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const last = props.tabs.length - 1;
    const at = props.tabs.findIndex((tab) => tab.value === props.value);
    const next = new Map([
      ['ArrowRight', at === last ? 0 : at + 1],
      ['ArrowLeft', at <= 0 ? last : at - 1],
      ['Home', 0],
      ['End', last],
    ]).get(event.key);
    const tab = next === undefined ? undefined : props.tabs[next];
    if (next === undefined || !tab) return;
    event.preventDefault();
    event.stopPropagation();
    props.onChoose(tab.value);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div role="tablist" aria-label={props.label} className="flex overflow-x-auto" onKeyDown={onKeyDown}>
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
