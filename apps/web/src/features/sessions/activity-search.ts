import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';
import { type ExploreSearch, validateExploreSearch } from '../explore/explore-search.ts';

/** As the contract has them; kept here so that the schemas stay out of the browser. */
const FIELDS = ['last', 'first', 'duration', 'cost', 'tokens', 'errors', 'traces'] as const;
const SESSION_SORTS = FIELDS.flatMap((field) => [`-${field}`, field]);
const USER_SORTS = [...SESSION_SORTS, '-sessions', 'sessions'];

const validate =
  (sorts: readonly string[]) =>
  (raw: Record<string, unknown>): ExploreSearch => {
    const sort = choiceParam(raw, 'sort', sorts);
    const row = textParam(raw, 'row', 3_000);
    return {
      ...validateExploreSearch(raw),
      ...(sort === undefined || sort === '-last' ? {} : { sort }),
      ...(row === undefined ? {} : { row }),
    };
  };

/** What the lists have in their URL; a row is the key of an id. */
export const validateSessionsSearch = validate(SESSION_SORTS);
export const validateUsersSearch = validate(USER_SORTS);
export const persistedSessions = persistedSearch(validateSessionsSearch);
export const persistedUsers = persistedSearch(validateUsersSearch);
