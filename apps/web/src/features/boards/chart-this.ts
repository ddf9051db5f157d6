import type { Panel } from '@candela/contract';
import { panelText } from './board-search.ts';

/**
 * Where a panel of any page is put on a board: the address of the list of boards, which then asks for the board.
 * @param title what the widget is called at first
 */
export const chartThis = (title: string, panel: Panel) => ({
  to: '/boards' as const,
  search: { add: panelText(title, panel) },
});
