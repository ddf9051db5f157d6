import { Navigate, useRouter } from '@tanstack/react-router';
import { mayOpen, useWhoAsks } from '../session/use-person.ts';
import { navItems } from '../shell/navigation.ts';

/** Settings without a page: the first one that is theirs to open. */
export function SettingsIndex() {
  const router = useRouter();
  const { person } = useWhoAsks();
  const first = navItems(Object.values(router.routesById)).find(
    (item) => item.group === 'Settings' && mayOpen(person, item.permission),
  );
  return first === undefined ? null : <Navigate to={first.path} replace />;
}
