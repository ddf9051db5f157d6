import type { LiveState } from './live.ts';

export const NOT_POSSIBLE = 'Live needs a time range that ends now, and the newest first';
/** How the live view stands. */
export const LIVE_WORDS: Record<LiveState, string> = {
  off: 'Live',
  connecting: 'Connecting …',
  live: 'Live',
  again: 'Reconnecting …',
  refused: 'Refused',
};
