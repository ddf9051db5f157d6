import { CODING_FLOOR } from '@candela/contract';
import { hasRole, type Principal } from '@candela/kernel';

/** Whether the asker sees every user: admins do, keys of the project and the platform itself too. */
function seesEveryUser(principal: Principal): boolean {
  if (principal.kind === 'user') return hasRole(principal.role, 'admin');
  if (principal.kind === 'key') return principal.role === undefined || hasRole(principal.role, 'admin');
  return true;
}

/**
 * Wraps a statement of sessions, one a row with `UserId`: users below the floor lose what names them, and `IsHidden` says so. A session
 * without a user is below it: its folder and branch may name one.
 * Everything that filters, sorts or pages comes after.
 */
export function withFloor(sessions: string, principal: Principal): string {
  if (seesEveryUser(principal)) return `SELECT *, UserId AS Person, false AS IsHidden FROM (${sessions})`;
  return `SELECT * EXCEPT (UserId, Folder, Branch), IsHidden ? '' : Name AS UserId, IsHidden ? '' : Place AS Folder, IsHidden ? '' : Line AS Branch
    FROM (SELECT *, UserId AS Person, UserId AS Name, Folder AS Place, Branch AS Line, UserId = '' OR count() OVER (PARTITION BY UserId) < ${CODING_FLOOR} AS IsHidden FROM (${sessions}))`;
}
