import { createFileRoute } from '@tanstack/react-router';
import { SessionPage } from '../features/sessions/session-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/sessions/$session')({
  validateSearch: (raw: Record<string, unknown>): { turn?: string } => {
    const turn = textParam(raw, 'turn', 32);
    return turn === undefined || !/^[0-9a-f]{32}$/.test(turn) ? {} : { turn };
  },
  staticData: { permission: 'reader' },
  component: SessionPage,
});
