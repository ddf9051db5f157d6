import { textParam } from '../../lib/search-params.ts';

/** What the Vault page has in its URL: never a value. */
export interface VaultSearch {
  /** Part of a name. */
  search?: string;
  tag?: string;
  /** Id of the secret that is open. */
  secret?: string;
}

export function validateVaultSearch(raw: Record<string, unknown>): VaultSearch {
  const search = textParam(raw, 'search', 200);
  const tag = textParam(raw, 'tag', 64);
  const secret = textParam(raw, 'secret', 64);
  return {
    ...(search === undefined ? {} : { search }),
    ...(tag === undefined ? {} : { tag }),
    ...(secret === undefined ? {} : { secret }),
  };
}
