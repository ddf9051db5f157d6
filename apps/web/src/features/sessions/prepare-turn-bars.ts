import type { SessionTrace } from '@candela/contract';

/** More bars could not be told apart. */
const MOST = 96;

interface TurnBar {
  /** Indexes of its first and last turn. */
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly failed: boolean;
}

export interface TurnBarChart {
  readonly bars: readonly TurnBar[];
  readonly unit: 'cost' | 'tokens';
  readonly highest: number;
  readonly turnsPerBar: number;
}

type Turn = Pick<SessionTrace, 'costUsd' | 'inputTokens' | 'outputTokens' | 'errors'>;

/** Bars of what each turn used; of many turns, several make one bar. */
export function prepareTurnBars(turns: readonly Turn[]): TurnBarChart {
  const unit = turns.some((turn) => turn.costUsd !== null) ? 'cost' : 'tokens';
  const valueOf = (turn: Turn): number =>
    unit === 'cost' ? (turn.costUsd ?? 0) : (turn.inputTokens ?? 0) + (turn.outputTokens ?? 0);
  const turnsPerBar = Math.max(1, Math.ceil(turns.length / MOST));
  const bars: TurnBar[] = [];
  for (let from = 0; from < turns.length; from += turnsPerBar) {
    const part = turns.slice(from, from + turnsPerBar);
    bars.push({
      from,
      to: from + part.length - 1,
      value: part.reduce((sum, turn) => sum + valueOf(turn), 0),
      failed: part.some((turn) => turn.errors > 0),
    });
  }
  const highest = bars.reduce((most, bar) => Math.max(most, bar.value), 0);
  return { bars, unit, highest, turnsPerBar };
}
