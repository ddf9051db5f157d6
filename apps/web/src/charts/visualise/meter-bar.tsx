import { exactValue, formatValue } from '../../lib/format-value.ts';
import { type Tone, toneColour } from '../prepare/palette.ts';

interface Level {
  readonly label: string;
  readonly value: number | null;
  /** Value of a full bar; 1 for ratios. */
  readonly max?: number;
  readonly unit?: string;
  /** From here on it deserves a look, and from here on it is bad; both in the unit of the value. */
  readonly warnAt?: number;
  readonly dangerAt?: number;
  readonly tone?: Tone;
}

function toneOf({ value, warnAt, dangerAt, tone }: Level): Tone {
  if (value !== null && dangerAt !== undefined && value >= dangerAt) return 'danger';
  if (value !== null && warnAt !== undefined && value >= warnAt) return 'warn';
  return tone ?? 'accent';
}

const shareOf = ({ value, max = 1 }: Level): number =>
  value === null || max <= 0 ? 0 : Math.min(1, Math.max(0, value / max));

const meter = (level: Level) => ({
  role: 'meter',
  'aria-label': level.label,
  'aria-valuemin': 0,
  'aria-valuemax': level.max ?? 1,
  'aria-valuenow': level.value ?? 0,
  'aria-valuetext': level.value === null ? 'not reported' : formatValue(level.value, level.unit ?? '1'),
});

/** A level of something that can be full: a bar with its value written beside it unless `bare`. */
export function MeterBar(props: Level & { bare?: boolean; text?: string }) {
  const unit = props.unit ?? '1';
  return (
    <div className="flex items-center gap-2" title={exactValue(props.value, unit)}>
      <div {...meter(props)} className="h-1.5 min-w-6 grow overflow-hidden rounded-full bg-hover">
        <div
          data-mark
          className="h-full rounded-full"
          style={{ width: `${shareOf(props) * 100}%`, background: toneColour(toneOf(props)) }}
        />
      </div>
      {props.bare !== true && (
        <span className="shrink-0 text-right text-sm">{props.text ?? formatValue(props.value, unit)}</span>
      )}
    </div>
  );
}
