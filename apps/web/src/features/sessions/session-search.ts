import { choiceParam, textParam } from '../../lib/search-params.ts';

/** Places of a turn that somebody goes to; without one, its beginning. */
const PLACES = ['failure', 'end'] as const;
export type TurnPlace = (typeof PLACES)[number];

/** What the page of a session has in its URL. */
export interface SessionSearch {
  turn?: string;
  at?: TurnPlace;
  /** What is sought in the messages of the session. */
  find?: string;
  /** Only what was said since then: of a session of more turns than one page shows. */
  since?: string;
}

/** Reads it; what is no trace id names no turn. */
export function validateSessionSearch(raw: Record<string, unknown>): SessionSearch {
  const from = textParam(raw, 'since', 40);
  const find = textParam(raw, 'find', 400);
  const since = {
    ...(from === undefined || Number.isNaN(Date.parse(from)) ? {} : { since: from }),
    ...(find === undefined ? {} : { find }),
  };
  const turn = textParam(raw, 'turn', 32);
  if (turn === undefined || !/^[0-9a-f]{32}$/.test(turn)) return since;
  const at = choiceParam(raw, 'at', PLACES);
  return at === undefined ? { turn, ...since } : { turn, at, ...since };
}
