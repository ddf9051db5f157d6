import { formatValue } from '../../lib/format-value.ts';
import { type Tone, toneColour } from '../prepare/palette.ts';
import { pieces } from '../prepare/time-chart.ts';

/** A line without axes for rows and tiles; null is a gap. */
export function Sparkline(props: {
  /** What it shows, for those who hear it. */
  label: string;
  values: readonly (number | null)[];
  unit?: string;
  width?: number;
  height?: number;
  tone?: Tone;
  /** A colour of identity. */
  colour?: string;
  /** Bars suit counts, a line suits levels. */
  kind?: 'line' | 'bars';
  /** Top of the scale; absent: the largest value. */
  highest?: number;
}) {
  const { values, width = 80, height = 20, unit = '' } = props;
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const high = props.highest ?? Math.max(...known, low + 1e-9);
  const x = (at: number) => (values.length < 2 ? width / 2 : (at / (values.length - 1)) * (width - 3) + 1.5);
  const y = (value: number) =>
    height - 1.5 - ((Math.min(value, high) - low) / (high - low || 1)) * (height - 3);
  const colour = props.tone ? toneColour(props.tone) : (props.colour ?? 'var(--accent-fill)');
  const slot = width / Math.max(1, values.length);
  const last = known.at(-1);
  return (
    <svg
      role="img"
      aria-label={`${props.label}: ${last === undefined ? 'nothing measured' : `last ${formatValue(last, unit)}, highest ${formatValue(Math.max(...known), unit)}`}`}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="block max-w-full shrink-0"
    >
      {/* How far it reaches, also where there is nothing: without it that looks like a gap beside it. */}
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} className="stroke-line" />
      {props.kind === 'bars'
        ? values.map((value, at) =>
            value === null || value === 0 ? null : (
              <rect
                // A bar is its place: the same slot of the same window.
                key={at}
                x={at * slot + slot * 0.1}
                width={Math.max(1, slot * 0.8)}
                y={Math.min(y(value), height - 1.5)}
                height={Math.max(1, height - y(value))}
                fill={colour}
              />
            ),
          )
        : pieces(values).map(({ from, to }) =>
            from === to ? (
              <circle key={from} cx={x(from)} cy={y(values[from] ?? 0)} r={1.5} fill={colour} />
            ) : (
              <polyline
                key={from}
                points={Array.from(
                  { length: to - from + 1 },
                  (_, step) => `${x(from + step).toFixed(1)},${y(values[from + step] ?? 0).toFixed(1)}`,
                ).join(' ')}
                fill="none"
                stroke={colour}
                strokeWidth={1.25}
                strokeLinejoin="round"
              />
            ),
          )}
    </svg>
  );
}
