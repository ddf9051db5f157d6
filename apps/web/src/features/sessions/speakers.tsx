import type { getSession, ResponseOf } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { createContext, use } from 'react';
import { paletteOf } from '../../charts/prepare/palette.ts';
import { exact } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';

type Session = ResponseOf<typeof getSession>['data'];

/** A colour for each user of a session that has several; empty where one person alone speaks. */
export function speakersOf(session: Session): ReadonlyMap<string, string> {
  if (session.userCount < 2) return new Map();
  return paletteOf([...new Set([...session.users, ...session.turns.flatMap(({ users }) => users)])]);
}

export const Speakers = createContext<ReadonlyMap<string, string>>(new Map());

/** A user's name in the colour that this person has all over the session; leads to the user's page. */
export function Speaker({ name }: { name: string }) {
  const colour = use(Speakers).get(name);
  return (
    <Link
      to="/users/$user"
      params={{ user: entityKey(name) }}
      className="flex max-w-full min-w-0 items-center gap-1.5 text-accent hover:underline"
    >
      {colour !== undefined && (
        <span
          data-mark
          aria-hidden
          className="size-2 shrink-0 rounded-full"
          style={{ backgroundColor: colour }}
        />
      )}
      <MiddleTruncation name={name} />
    </Link>
  );
}

/** In the head: as many as fit a line; the panel beside the conversation has more of them. */
const NAMED = 4;

/** Who speaks in the session, where there are several. */
export function SpeakersList({ session }: { session: Session }) {
  if (session.userCount < 2) return null;
  const more = session.userCount - Math.min(NAMED, session.users.length);
  return (
    <ul
      aria-label="Users of the session"
      className="flex min-w-0 items-center gap-3 text-sm max-lg:max-w-full max-lg:overflow-x-auto"
    >
      {session.users.slice(0, NAMED).map((name) => (
        <li key={name} className="flex max-w-40 min-w-0 max-lg:shrink-0">
          <Speaker name={name} />
        </li>
      ))}
      {more > 0 && <li className="shrink-0 text-muted">and {exact(more)} more</li>}
    </ul>
  );
}
