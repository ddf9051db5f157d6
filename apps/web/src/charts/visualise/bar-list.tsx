import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { type Tone, toneColour } from '../prepare/palette.ts';

export interface BarItem {
  readonly key: string;
  readonly label: string;
  readonly value: number | null;
  /** A second figure beside the value: `12 failed`. */
  readonly note?: ReactNode;
  readonly tone?: Tone;
  /** A colour of identity, from `paletteOf`. */
  readonly colour?: string;
}

/** The largest of something as horizontal bars; a click on one leads to what is behind it. */
export function BarList(props: {
  /** What is ranked: `Cost by model`. */
  label: string;
  items: readonly BarItem[];
  unit?: string;
  /** How many there are, when these are only the largest. */
  total?: number;
  onChoose?: (key: string) => void;
  /** Items that are chosen already. */
  chosen?: readonly string[];
}) {
  const { items, unit = '', onChoose } = props;
  const most = items.reduce((high, item) => Math.max(high, Math.abs(item.value ?? 0)), 0);
  return (
    <div>
      <ul aria-label={props.label} className="flex flex-col gap-px">
        {items.map((item) => {
          const inside = (
            <>
              <span
                aria-hidden
                data-mark
                className="absolute inset-y-0.5 left-0 rounded-xs opacity-20"
                style={{
                  width: `${most === 0 ? 0 : (Math.abs(item.value ?? 0) / most) * 100}%`,
                  background: item.tone ? toneColour(item.tone) : (item.colour ?? 'var(--accent-fill)'),
                }}
              />
              <MiddleTruncation name={item.label} className="relative" />
              {item.note !== undefined && (
                <span className="relative shrink-0 text-sm text-muted">{item.note}</span>
              )}
              <span
                className="relative ml-auto shrink-0 pl-2 text-right"
                title={exactValue(item.value, unit)}
              >
                {formatValue(item.value, unit)}
              </span>
            </>
          );
          const look = 'relative flex h-6 w-full items-center gap-2 rounded-xs px-1.5 text-left';
          return (
            <li key={item.key}>
              {onChoose ? (
                <button
                  type="button"
                  aria-pressed={props.chosen === undefined ? undefined : props.chosen.includes(item.key)}
                  onClick={() => onChoose(item.key)}
                  className={cx(look, 'hover:bg-hover aria-pressed:bg-selected')}
                >
                  {inside}
                </button>
              ) : (
                <div className={look}>{inside}</div>
              )}
            </li>
          );
        })}
      </ul>
      {props.total !== undefined && props.total > items.length && (
        <p className="px-1.5 pt-0.5 text-xs text-faint">
          {items.length} of {props.total}
        </p>
      )}
    </div>
  );
}
