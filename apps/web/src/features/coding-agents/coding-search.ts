import { CODING_VIEWS, SESSION_SORTS, USER_SORTS } from './choices.ts';
import { choiceParam, flagParam, textParam } from '../../lib/search-params.ts';

/** What the page of coding agents has in its address. */
export interface CodingSearch {
  view?: (typeof CODING_VIEWS)[number];
  agent?: string;
  user?: string;
  repository?: string;
  sort?: (typeof SESSION_SORTS)[number]['value'];
  order?: (typeof USER_SORTS)[number]['value'];
  silent?: true;
}

export function validateCodingSearch(raw: Record<string, unknown>): CodingSearch {
  const view = choiceParam(raw, 'view', CODING_VIEWS);
  const sort = choiceParam(
    raw,
    'sort',
    SESSION_SORTS.map(({ value }) => value),
  );
  const order = choiceParam(
    raw,
    'order',
    USER_SORTS.map(({ value }) => value),
  );
  const found: CodingSearch = {
    ...(view === undefined ? {} : { view }),
    ...(sort === undefined ? {} : { sort }),
    ...(order === undefined ? {} : { order }),
    ...(flagParam(raw, 'silent') ? { silent: true } : {}),
  };
  for (const key of ['agent', 'user', 'repository'] as const) {
    const value = textParam(raw, key, 512);
    if (value !== undefined) found[key] = value;
  }
  return found;
}

/** What the page of one session has in its address: whose it is, and since when to look for it. */
export interface CodingSessionSearch {
  agent?: string;
  since?: string;
}

export function validateCodingSessionSearch(raw: Record<string, unknown>): CodingSessionSearch {
  const agent = textParam(raw, 'agent', 64);
  const since = textParam(raw, 'since', 40);
  return { ...(agent === undefined ? {} : { agent }), ...(since === undefined ? {} : { since }) };
}
