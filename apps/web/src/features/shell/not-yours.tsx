import type { Person } from '@candela/contract';
import { Link, useLocation } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { Notice } from '../../ui/states.tsx';
import type { PagePermission } from './navigation.ts';

const WHO: Partial<Record<PagePermission, string>> = {
  member: 'Members, admins and owners',
  admin: 'Admins and owners',
  owner: 'Owners',
};

/** Instead of a page that is for others: who may open it, and what to do. */
export default function NotYours(props: {
  permission: PagePermission;
  owned: boolean;
  person: Person | undefined;
}) {
  const here = useLocation({ select: (location) => location.href });
  const icon = <Lock className="text-accent" aria-hidden />;
  if (!props.owned)
    return (
      <Notice icon={icon} title="Nobody owns this installation yet">
        <title>Not set up yet · Candela</title>
        <p>
          Open the setup link that was printed when Candela started. Whoever does becomes the owner; then
          there are people, keys and settings.
        </p>
      </Notice>
    );
  if (props.person === undefined)
    return (
      <Notice icon={icon} title="This needs an account">
        <title>Sign in · Candela</title>
        <p>An API key reads telemetry; settings are for people who are signed in.</p>
        <Link to="/sign-in" search={{ next: here }} className="text-accent underline">
          Sign in
        </Link>
      </Notice>
    );
  return (
    <Notice icon={icon} title="You don't have access">
      <title>Not yours · Candela</title>
      <p>
        {WHO[props.permission] ?? 'Members of the organisation'} may open it.{' '}
        {props.person.organisation === null
          ? 'You belong to no organisation: ask for an invitation.'
          : `Your role is ${props.person.organisation.role}; an admin can change it.`}
      </p>
    </Notice>
  );
}
