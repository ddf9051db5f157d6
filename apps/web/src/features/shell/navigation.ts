import type { Role } from '@candela/kernel';
import type { AnyRoute } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';

/** The groups of the navigation, in order. */
export const NAV_GROUPS = [
  'Observe',
  'Infrastructure',
  'Agents',
  'Build',
  'Judge',
  'Ask',
  'Settings',
] as const;
type NavGroup = (typeof NAV_GROUPS)[number];

/**
 * Who may open a page: `public` anybody; `reader` whoever may read telemetry, by a session, by a key, or from this
 * machine while nobody owns the installation; `signed-in` any account; else the least role in the organisation.
 */
export type PagePermission = 'public' | 'reader' | 'signed-in' | Role;

interface NavPlace {
  readonly group: NavGroup;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Position within the group. */
  readonly order: number;
}

/**
 * `shown`: rows and figures follow the time range; `comparable`: figures can also be compared with the period before;
 * `compared`: they are, unless somebody says otherwise.
 */
export type RangeUse = 'shown' | 'comparable' | 'compared';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Present: the page stands in the navigation and the palette. */
    nav?: NavPlace;
    /** What the time range does on the page; absent: nothing, and the header offers the zone alone. */
    range?: RangeUse;
    /** Who may open the page; a page that asks for more than one has does not stand in the navigation. */
    permission?: PagePermission;
    /** Stands alone, without navigation and header: what is shown before anybody is signed in. */
    bare?: true;
  }
}

export interface NavItem extends NavPlace {
  readonly path: string;
  readonly permission: PagePermission;
}

/** Every page of the route tree that asks for a place in the navigation, in reading order. */
export function navItems(routes: readonly AnyRoute[]): NavItem[] {
  const items: NavItem[] = [];
  for (const route of routes) {
    const { nav, permission = 'reader' } = route.options.staticData ?? {};
    if (!nav) continue;
    const path = route.fullPath === '/' ? '/' : route.fullPath.replace(/\/$/, '');
    items.push({ ...nav, path, permission });
  }
  const rank = (item: NavItem) => NAV_GROUPS.indexOf(item.group) * 1_000 + item.order;
  return items.sort((a, b) => rank(a) - rank(b));
}
