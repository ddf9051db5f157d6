import { PHONE, ROWS, type Shot, type ShotGroup, SMALL, traceOf } from './shot.ts';

/** Every page at the two widths where layouts break. */
const PAGES: readonly Pick<Shot, 'name' | 'path' | 'ready'>[] = [
  { name: 'home', path: '/', ready: '[aria-label="Slowest operations"] a' },
  { name: 'traces', path: '/traces?q=status:error', ready: ROWS },
  {
    name: 'trace',
    path: async (stage) => `/traces/${await traceOf(stage, 'service:support-agent status:error')}`,
    ready: '[role=treeitem]',
  },
  { name: 'sessions', path: '/sessions', ready: ROWS },
  { name: 'logs', path: '/logs', ready: ROWS },
  { name: 'exceptions', path: '/exceptions', ready: ROWS },
  { name: 'metrics', path: '/metrics', ready: ROWS },
  {
    name: 'metrics-explore',
    path: '/metrics/explore?a=metric%3Dshop.orders.placed',
    ready: '[data-testid=time-chart]',
  },
  { name: 'users', path: '/users', ready: ROWS },
  { name: 'agents', path: '/agents', ready: ROWS },
  { name: 'agent', path: '/agents/order-support', ready: 'text=Models' },
  { name: 'ingest', path: '/settings/ingest', ready: 'text=Clients' },
];
const at = (name: string, size: { width: number; height: number }): Shot[] =>
  PAGES.map((page) => ({ ...page, name: `${name}-${page.name}`, size }));

export const shellShots: ShotGroup = {
  shots: [
    { name: 'palette', path: '/traces', ready: ROWS, act: (page) => page.keyboard.press('Control+k') },
    { name: 'keys', path: '/traces', ready: ROWS, act: (page) => page.keyboard.press('?') },
    { name: 'time-range', path: '/traces', ready: ROWS, act: (page) => page.keyboard.press('d') },
    { name: 'not-found', path: '/no/such/page', ready: 'text=There is no such page' },
    ...at('small', SMALL),
    ...at('phone', PHONE),
  ],
};
