import { setTabKey } from '../../api/client.ts';

/**
 * Goes on as somebody else than before, with the key of this tab or without one: the page is loaded anew, so that
 * nothing read before stays in memory.
 */
export function enter(path: string, key = ''): void {
  setTabKey(key);
  location.replace(path);
}
