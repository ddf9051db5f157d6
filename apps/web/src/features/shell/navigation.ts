import type { Permission } from '@candela/contract';
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

interface NavPlace {
  readonly group: NavGroup;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Position within the group. */
  readonly order: number;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Present: the page stands in the navigation and the palette. */
    nav?: NavPlace;
    /** Compares its figures with the period before unless told not to. */
    compares?: true;
    /** What a credential needs to open the page. */
    permission?: Permission;
  }
}

export interface NavItem extends NavPlace {
  readonly path: string;
}

/** Every page of the route tree that asks for a place in the navigation, in reading order. */
export function navItems(routes: readonly AnyRoute[]): NavItem[] {
  const items: NavItem[] = [];
  for (const route of routes) {
    const nav = route.options.staticData?.nav;
    if (nav) items.push({ ...nav, path: route.fullPath === '/' ? '/' : route.fullPath.replace(/\/$/, '') });
  }
  const rank = (item: NavItem) => NAV_GROUPS.indexOf(item.group) * 1_000 + item.order;
  return items.sort((a, b) => rank(a) - rank(b));
}
