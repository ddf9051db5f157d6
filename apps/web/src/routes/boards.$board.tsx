import { createFileRoute } from '@tanstack/react-router';
import { BoardPage } from '../features/boards/board-page.tsx';
import { validateBoardSearch } from '../features/boards/board-search.ts';

export const Route = createFileRoute('/boards/$board')({
  validateSearch: validateBoardSearch,
  staticData: { permission: 'reader', range: 'comparable' },
  component: BoardPage,
});
