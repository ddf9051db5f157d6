import { ROWS, type ShotGroup } from './shot.ts';

export const shellShots: ShotGroup = {
  shots: [
    { name: 'palette', path: '/traces', ready: ROWS, act: (page) => page.keyboard.press('Control+k') },
    { name: 'keys', path: '/traces', ready: ROWS, act: (page) => page.keyboard.press('?') },
    { name: 'time-range', path: '/traces', ready: ROWS, act: (page) => page.keyboard.press('d') },
    { name: 'not-found', path: '/no/such/page', ready: 'text=There is no such page' },
  ],
};
