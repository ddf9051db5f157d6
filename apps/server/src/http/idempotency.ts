import { fail, type RequestContext } from '@candela/kernel';
import type { Call } from '@candela/metadata-store';

/**
 * What the header Idempotency-Key stands for, for `metadata.change`: the same call of the same caller is done once.
 * Undefined without the header. @param request what the call asks for: another one with the same key is refused
 * @throws bad_request
 */
export function callOf(
  { organisationId, projectId, databaseConfigId, principal }: RequestContext,
  route: string,
  key: string | undefined,
  request: unknown,
): Call | undefined {
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw fail('bad_request', {
      detail: 'The header Idempotency-Key takes 1 to 200 visible ASCII characters.',
    });
  }
  const who = principal.kind === 'anonymous' ? 'anonymous' : `${principal.kind} ${principal.id}`;
  return { scope: JSON.stringify([organisationId, projectId, databaseConfigId, who, route]), key, request };
}
