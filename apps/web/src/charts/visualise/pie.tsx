import { cx } from '../../lib/cx.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { paletteOf } from '../prepare/palette.ts';

/** A share of a whole. */
export interface Slice {
  readonly key: string;
  readonly label: string;
  readonly value: number;
}

const RADIUS = 40;
const LENGTH = 2 * Math.PI * RADIUS;
/** What is smaller is part of "Other". */
const MOST = 7;

/** Shares of a whole as a ring, with a legend that says each value and share. */
export function Pie(props: {
  label: string;
  slices: readonly Slice[];
  unit?: string;
  height?: number;
  onChoose?: (key: string) => void;
}) {
  const { unit = '', height = 140, onChoose } = props;
  const ordered = props.slices.filter(({ value }) => value > 0).toSorted((a, b) => b.value - a.value);
  // One that would be left over has a name too.
  const most = ordered.length === MOST + 1 ? MOST + 1 : MOST;
  const rest = ordered.slice(most).reduce((sum, { value }) => sum + value, 0);
  const slices = [
    ...ordered.slice(0, most),
    ...(rest > 0 ? [{ key: '', label: `Other (${ordered.length - most})`, value: rest }] : []),
  ];
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const colours = paletteOf(slices.map(({ key }) => key).filter((key) => key !== ''));
  let before = 0;
  const drawn = slices.map((slice) => {
    const from = before;
    before += slice.value / total;
    return { ...slice, from, share: slice.value / total, colour: colours.get(slice.key) ?? 'var(--faint)' };
  });
  const percent = (share: number) => `${Number((share * 100).toPrecision(2))}%`;
  return (
    <div className="flex min-h-0 items-center gap-3" style={{ height }}>
      <svg
        role="img"
        aria-label={props.label}
        viewBox="0 0 100 100"
        className="h-full max-w-[45%] min-w-0 shrink-0"
      >
        {drawn.map((slice) => (
          <circle
            key={slice.key}
            cx={50}
            cy={50}
            r={RADIUS}
            fill="none"
            stroke={slice.colour}
            strokeWidth={16}
            strokeDasharray={`${Math.max(0.5, slice.share * LENGTH - 1)} ${LENGTH}`}
            strokeDashoffset={-slice.from * LENGTH}
            transform="rotate(-90 50 50)"
          >
            <title>{`${slice.label}: ${exactValue(slice.value, unit)}, ${percent(slice.share)}`}</title>
          </circle>
        ))}
      </svg>
      <ul className="flex max-h-full min-w-0 flex-1 flex-col gap-px overflow-y-auto text-sm">
        {drawn.map((slice) => {
          const inside = (
            <>
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-xs"
                style={{ background: slice.colour }}
              />
              <span className="truncate" title={slice.label}>
                {slice.label}
              </span>
              <span className="ml-auto shrink-0 text-right" title={exactValue(slice.value, unit)}>
                {formatValue(slice.value, unit)}
              </span>
              <span className="w-10 shrink-0 text-right text-muted">{percent(slice.share)}</span>
            </>
          );
          const look = 'flex h-6 w-full items-center gap-2 rounded-xs px-1 text-left';
          return (
            <li key={slice.key}>
              {onChoose && slice.key !== '' ? (
                <button
                  type="button"
                  className={cx(look, 'hover:bg-hover')}
                  onClick={() => onChoose(slice.key)}
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
    </div>
  );
}
