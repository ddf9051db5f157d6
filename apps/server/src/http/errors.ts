import { asCandelaError, type CandelaError } from '@candela/kernel';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Paths of the public catalog, whose errors have a shape of their own. */
function isCatalogPath(path: string): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['not_found', 'The routes are listed at /openapi-spec.'],
  ['method_not_allowed', 'The routes are listed at /openapi-spec.'],
]);

/** The one translation of a failure into an answer: no stack, SQL, path or secret leaves. */
export function errorAnswer(thrown: unknown, path: string): ErrorAnswer {
  const error: CandelaError = asCandelaError(thrown);
  const sentence =
    error.code === 'internal' ? 'Something went wrong on our side. Quote the request id.' : error.message;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-platform-error-code': error.code,
    'cache-control': 'no-store',
  };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.code === 'no_credential' || error.code === 'unknown_credential') {
    headers['www-authenticate'] = 'Bearer';
  }
  const allowed = error.details?.['allowed'];
  if (typeof allowed === 'string') headers['allow'] = allowed;
  const body = isCatalogPath(path)
    ? { error: { code: error.code, message: sentence, hint: HINTS.get(error.code) ?? 'See /openapi-spec.' } }
    : { err: sentence };
  return { status: error.status, headers, body: JSON.stringify(body) };
}
