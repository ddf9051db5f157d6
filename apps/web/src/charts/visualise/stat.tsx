import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { changeOf, changeSpoken, changeText } from '../prepare/change.ts';

/** One figure with its unit and, when asked for, its change against the period before. */
export function Stat(props: {
  label: string;
  value: number | null;
  unit?: string;
  /** The same figure of the period before; undefined: no comparison. */
  previous?: number | null | undefined;
  /** Which way is good news; without it a change has no colour. */
  better?: 'lower' | 'higher' | 'neither';
  /** Below the figure: a sparkline, a note. */
  children?: ReactNode;
  /** Leads to what is behind the figure. */
  onChoose?: () => void;
}) {
  const { value, unit = '', previous } = props;
  const change = previous === undefined ? undefined : changeOf(value, previous, props.better);
  const text = change ? changeText(change) : '';
  const inside = (
    <>
      {props.label !== '' && <span className="text-sm text-muted">{props.label}</span>}
      <span className="flex items-baseline gap-2">
        <span className="text-xl font-semibold whitespace-nowrap" title={exactValue(value, unit)}>
          {formatValue(value, unit)}
        </span>
        {change && text !== '' && (
          <span
            title={`${exactValue(previous, unit)} in the period before`}
            className={cx(
              'flex items-center gap-0.5 text-sm whitespace-nowrap',
              change.verdict === 'worse'
                ? 'text-danger'
                : change.verdict === 'better'
                  ? 'text-ok'
                  : 'text-muted',
            )}
          >
            {(change.direction === 'up' || change.direction === 'new') && <ArrowUp size={12} aria-hidden />}
            {(change.direction === 'down' || change.direction === 'gone') && (
              <ArrowDown size={12} aria-hidden />
            )}
            {text}
            <span className="sr-only">{changeSpoken(change)}</span>
          </span>
        )}
      </span>
      {props.children}
    </>
  );
  const look = 'flex min-w-28 flex-col rounded-md px-2 py-1 text-left';
  return props.onChoose ? (
    <button type="button" onClick={props.onChoose} className={cx(look, 'hover:bg-hover')}>
      {inside}
    </button>
  ) : (
    <div className={look}>{inside}</div>
  );
}
