import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { mayOpen, useWhoAsks } from '../session/use-person.ts';
import { navItems } from '../shell/navigation.ts';

/** The pages of Settings beside each other; on a narrow screen their names stand above the page. */
export function SettingsLayout() {
  const router = useRouter();
  const { person } = useWhoAsks();
  const pages = useMemo(
    () =>
      navItems(Object.values(router.routesById)).filter(
        (item) => item.group === 'Settings' && mayOpen(person, item.permission),
      ),
    [router, person],
  );
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    // On a narrow screen the open page's name may be beyond the edge.
    const current = nav.current?.querySelector('[aria-current=page]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path, pages]);
  return (
    <div className="flex h-full max-lg:flex-col">
      <nav
        ref={nav}
        aria-label="Settings"
        className="flex shrink-0 gap-0.5 border-line p-2 max-lg:overflow-x-auto max-lg:border-b lg:w-48 lg:flex-col lg:overflow-y-auto lg:border-r"
      >
        {pages.map((page) => (
          <Link
            key={page.path}
            to={page.path}
            activeOptions={{ includeSearch: false }}
            activeProps={{ className: 'bg-selected font-medium text-text', 'aria-current': 'page' }}
            inactiveProps={{ className: 'text-muted' }}
            className="flex h-7 shrink-0 items-center gap-2 rounded-md px-2 whitespace-nowrap hover:bg-hover hover:text-text"
          >
            <page.icon size={15} className="shrink-0" aria-hidden />
            {page.label}
          </Link>
        ))}
      </nav>
      <div className="min-h-0 min-w-0 grow">
        <Outlet />
      </div>
    </div>
  );
}
