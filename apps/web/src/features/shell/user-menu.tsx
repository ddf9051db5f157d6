import { Link } from '@tanstack/react-router';
import { CircleUser } from 'lucide-react';
import { lazy, useState } from 'react';
import { tabKey } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Late } from '../../ui/late.tsx';
import { Popover } from '../../ui/popover.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { useWhoAsks } from '../session/use-person.ts';

// Opened now and then only.
const UserPanel = lazy(() => import('./user-panel.tsx'));

/** Who is signed in, their account, and the way out. Without anybody: the way in. */
export function UserMenu() {
  const { status, person } = useWhoAsks();
  const [open, setOpen] = useState(false);
  if (status === undefined || (person === undefined && !status.owned)) return null;
  if (person === undefined)
    return (
      <Link to="/sign-in" className="px-2 text-accent underline">
        {tabKey() === '' ? 'Sign in' : 'Sign in instead of the key'}
      </Link>
    );
  return (
    <Popover
      label="You"
      open={open}
      onOpenChange={setOpen}
      className="w-64"
      trigger={
        <Button look="plain" title={person.email} data-testid="user-menu">
          <CircleUser size={15} aria-hidden />
          <span className="sr-only">You: {person.email}</span>
        </Button>
      }
    >
      <Late fallback={<SkeletonRows label="Loading your menu" rows={4} />}>
        <UserPanel person={person} onClose={() => setOpen(false)} />
      </Late>
    </Popover>
  );
}
