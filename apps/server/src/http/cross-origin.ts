import type { CrossOrigin } from '@candela/contract';
import { fail } from '@candela/kernel';

/** What a page may send and read besides what every page may. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'if-none-match',
  'x-platform-organisation-id',
  'x-platform-project-id',
  'x-platform-environment',
  'x-platform-database-config-id',
].join(', ');
const ANSWER_HEADERS = ['etag', 'retry-after', 'x-platform-error-code', 'x-request-id'].join(', ');
const PREFLIGHT_SECONDS = '600';

/** Which web pages of other origins may read an answer. */
export interface OriginPolicy {
  /** Headers of an answer. @throws forbidden where such pages are refused */
  headers(origin: string | undefined, route: CrossOrigin): Record<string, string>;
  /** Answer to the question whether a page may send a request. */
  preflight(origin: string, method: string): { status: 204 | 403; headers: Record<string, string> };
}

/** @param allowed complete origins, compared as they are written */
export function createOriginPolicy(allowed: Iterable<string>): OriginPolicy {
  const origins = new Set(allowed);
  const vary = { vary: 'origin' };
  return {
    headers(origin, route) {
      if (origin === undefined) return vary;
      if (origins.has(origin)) {
        return {
          ...vary,
          'access-control-allow-origin': origin,
          'access-control-expose-headers': ANSWER_HEADERS,
          // The page of an allowed origin is the reader it is meant for.
          'cross-origin-resource-policy': 'cross-origin',
        };
      }
      if (route === 'unread') return vary;
      throw fail('forbidden', {
        detail:
          'Web pages of this origin may not ask here. An administrator adds the origin to PLATFORM_ALLOWED_CORS_ORIGINS, or ask from a server.',
      });
    },
    preflight(origin, method) {
      if (!origins.has(origin)) return { status: 403, headers: vary };
      return {
        status: 204,
        headers: {
          ...vary,
          'access-control-allow-origin': origin,
          'access-control-allow-methods': method,
          'access-control-allow-headers': REQUEST_HEADERS,
          'access-control-max-age': PREFLIGHT_SECONDS,
        },
      };
    },
  };
}
