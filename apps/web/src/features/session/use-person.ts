import type { AuthStatus, Person } from '@candela/contract';
import { hasRole } from '@candela/kernel';
import { useQuery } from '@tanstack/react-query';
import { authStatusQuery } from '../../api/auth.ts';
import { tabKey } from '../../api/client.ts';
import type { PagePermission } from '../shell/navigation.ts';

export interface WhoAsks {
  /** Undefined until the server has said it. */
  readonly status: AuthStatus | undefined;
  readonly person: Person | undefined;
  /** Somebody, a key, or this machine: whoever may read at all. False until it is known. */
  readonly reads: boolean;
  /** Whether a page or an action is theirs; what the server says in the end counts. */
  can(permission: PagePermission): boolean;
}

/** True when the person may open what asks for `permission`; without a person, only what needs none. */
export function mayOpen(person: Person | undefined, permission: PagePermission): boolean {
  if (permission === 'public' || permission === 'reader') return true;
  if (person === undefined) return false;
  if (permission === 'signed-in') return true;
  return person.organisation !== null && hasRole(person.organisation.role, permission);
}

/** Who is signed in, and what is theirs to do. */
export function useWhoAsks(): WhoAsks {
  const { data } = useQuery(authStatusQuery());
  const person = data?.person ?? undefined;
  const reads = data !== undefined && (person !== undefined || data.anonymous !== null || tabKey() !== '');
  return { status: data, person, reads, can: (permission) => mayOpen(person, permission) };
}
