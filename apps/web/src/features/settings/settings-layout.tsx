import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { navItems } from '../shell/navigation.ts';

/** The pages of Settings beside each other; on a narrow screen their names stand above the page. */
export function SettingsLayout() {
  const router = useRouter();
  const pages = useMemo(
    () => navItems(Object.values(router.routesById)).filter((item) => item.group === 'Settings'),
    [router],
  );
  return (
    <div className="flex h-full max-lg:flex-col">
      <nav
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
