import type { SessionTrace } from '@candela/contract';
import { type KeyboardEvent, useMemo } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatCost, formatCount } from '../../lib/format.ts';
import { prepareTurnBars } from './prepare-turn-bars.ts';

const HEIGHT = 56;
const WIDTH = 100;
/** A few turns make no wide bars. */
const FEWEST = 12;

/** Cost (tokens, when nothing has a price) of each turn; arrow keys and clicks choose a turn. */
export function TurnBars(props: {
  turns: readonly SessionTrace[];
  /** Index of the chosen turn. */
  at: number;
  onChoose: (index: number) => void;
}) {
  const { turns, at, onChoose } = props;
  const chart = useMemo(() => prepareTurnBars(turns), [turns]);
  const chosen = chart.bars.findIndex((bar) => at >= bar.from && at <= bar.to);
  const format = chart.unit === 'cost' ? formatCost : formatCount;
  const slots = Math.max(FEWEST, chart.bars.length);
  const width = WIDTH / slots;
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -turns.length, End: turns.length }[event.key];
    if (by === undefined) return;
    onChoose(Math.min(turns.length - 1, Math.max(0, at + by)));
    event.preventDefault();
    event.stopPropagation();
  };
  const title = chart.unit === 'cost' ? 'Cost per turn' : 'Tokens per turn';
  const now = turns[at];
  const told = now && (chart.unit === 'cost' ? formatCost(now.costUsd) : formatCount(tokensOf(now)));
  return (
    <div>
      <h3 className="mb-1 flex flex-wrap gap-x-3 text-sm text-muted">
        {title}
        <span className="ml-auto">
          at most {format(chart.highest)}
          {chart.turnsPerBar > 1 && `, ${chart.turnsPerBar} turns a bar`}
        </span>
      </h3>
      <div
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={1}
        aria-valuemax={Math.max(1, turns.length)}
        aria-valuenow={at + 1}
        aria-valuetext={`Turn ${at + 1} of ${turns.length}: ${told ?? ''}`}
        onKeyDown={step}
        onClick={(event) => {
          const area = event.currentTarget.getBoundingClientRect();
          const bar = chart.bars[Math.floor(((event.clientX - area.left) / area.width) * slots)];
          if (bar) onChoose(bar.from);
        }}
        className="cursor-pointer border-b border-line"
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          width="100%"
          height={HEIGHT}
          className="block"
          aria-hidden
        >
          {chart.bars.map((bar, index) => {
            const tall = bar.value === 0 ? 1 : Math.max(2, (bar.value / (chart.highest || 1)) * (HEIGHT - 2));
            return (
              <rect
                key={bar.from}
                x={index * width + width * 0.1}
                width={width * 0.8}
                y={HEIGHT - tall}
                height={tall}
                className={cx(
                  index === chosen ? 'fill-accent' : bar.failed ? 'fill-danger' : 'fill-accent-fill/60',
                )}
              />
            );
          })}
        </svg>
      </div>
    </div>
  );
}

const tokensOf = (turn: SessionTrace): number | null =>
  turn.inputTokens === null && turn.outputTokens === null
    ? null
    : (turn.inputTokens ?? 0) + (turn.outputTokens ?? 0);
