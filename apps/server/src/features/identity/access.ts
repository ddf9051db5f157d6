import type { Access, RouteDeclaration } from '@candela/contract';
import { fail, hasRole, type Principal, type RequestContext, ROLES, SCOPES } from '@candela/kernel';

const KEYS = new Set<unknown>([...SCOPES, 'session']);
const PEOPLE = new Set<unknown>([...ROLES, 'signed-in']);
const SUBJECTS = new Set<unknown>(['account', 'organisation', 'project']);

/** What is wrong with a route's declaration of who may call it; undefined: nothing. Checked for every route at the start. */
export function permissionProblem({ permission }: Pick<RouteDeclaration, 'permission'>): string | undefined {
  // Declared in code that may not have met the type checker.
  const declared: unknown = permission;
  if (declared === 'public') return undefined;
  if (typeof declared !== 'object' || declared === null) return 'declares no permission';
  const { key, role, on } = declared as Partial<Access>;
  if (!KEYS.has(key)) return 'declares no scope that keys need';
  if (!PEOPLE.has(role)) return 'declares no role that people need';
  if (!SUBJECTS.has(on)) return 'does not declare what it is about';
  if (on !== 'account' && role === 'signed-in') return 'lets people in who belong to nothing';
  return undefined;
}

/**
 * Whether who asks may call a route at all; which rows they reach is for the context and the queries. Nobody in
 * particular counts as a key with the few scopes of this machine's programs.
 * @throws not_signed_in, forbidden
 */
export function authorise(
  access: Access,
  { principal, scopes }: { readonly principal: Principal; readonly scopes: RequestContext['scopes'] },
): void {
  if (principal.kind === 'user') {
    if (access.role === 'signed-in' || hasRole(principal.role, access.role)) return;
    throw fail('forbidden', {
      detail: `This needs the role "${access.role}"; yours is "${principal.role}". Ask an admin of the organisation.`,
    });
  }
  if (access.key === 'session') {
    if (principal.kind === 'anonymous') throw fail('not_signed_in');
    throw fail('forbidden', { detail: 'An API key cannot do this. Sign in and do it in the settings.' });
  }
  if (principal.kind === 'key' && principal.role !== undefined && access.role !== 'signed-in') {
    if (!hasRole(principal.role, access.role)) {
      throw fail('forbidden', {
        detail: `This needs the role "${access.role}"; the person this application acts for has "${principal.role}".`,
      });
    }
  }
  if (!scopes.has(access.key)) {
    throw fail('forbidden', { detail: `This credential lacks the scope "${access.key}".` });
  }
}
