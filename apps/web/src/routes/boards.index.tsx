import { createFileRoute } from '@tanstack/react-router';
import { LayoutDashboard } from 'lucide-react';
import { validateBoardsSearch } from '../features/boards/board-search.ts';
import { BoardsPage } from '../features/boards/boards-page.tsx';

export const Route = createFileRoute('/boards/')({
  validateSearch: validateBoardsSearch,
  staticData: {
    nav: { group: 'Ask', label: 'Dashboards', icon: LayoutDashboard, order: 20 },
    permission: 'reader',
  },
  component: BoardsPage,
});
