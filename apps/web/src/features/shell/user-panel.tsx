import type { Person } from '@candela/contract';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LogOut, UserCog } from 'lucide-react';
import { sendSignOut } from '../../api/auth.ts';
import { setTabKey } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';

const ITEM = 'flex h-7 w-full items-center gap-2 rounded px-2 text-left hover:bg-hover';

/** What the menu of who is signed in holds. */
export default function UserPanel({ person, onClose }: { person: Person; onClose: () => void }) {
  const signOut = useMutation({
    mutationFn: sendSignOut,
    onSuccess: () => {
      setTabKey('');
      location.assign('/sign-in');
    },
  });
  return (
    <>
      <div className="border-b border-line px-3 py-2">
        <p className="truncate font-medium">{person.name}</p>
        <p className="truncate text-sm text-muted">{person.email}</p>
        {person.organisation !== null && (
          <p className="mt-1 flex items-center gap-2 text-sm text-muted">
            <MiddleTruncation name={person.organisation.name} />
            <Badge>{person.organisation.role}</Badge>
          </p>
        )}
      </div>
      <div className="p-1">
        <Link to="/account" className={ITEM} onClick={onClose}>
          <UserCog size={14} aria-hidden />
          Your account
        </Link>
        <button type="button" className={ITEM} onClick={() => signOut.mutate()}>
          <LogOut size={14} aria-hidden />
          Sign out
        </button>
        <ErrorLine error={signOut.error} className="px-2" />
      </div>
    </>
  );
}
