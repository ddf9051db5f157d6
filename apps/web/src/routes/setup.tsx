import { createFileRoute } from '@tanstack/react-router';
import { SetupPage } from '../features/sign-in/setup-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/setup')({
  validateSearch: (raw: Record<string, unknown>): { token?: string } => {
    const token = textParam(raw, 'token', 128);
    return token === undefined ? {} : { token };
  },
  staticData: { permission: 'public', bare: true },
  component: SetupPage,
});
