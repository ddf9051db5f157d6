import { createFileRoute } from '@tanstack/react-router';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/sign-in/')({
  validateSearch: (raw: Record<string, unknown>): { next?: string } => {
    const next = textParam(raw, 'next', 2_048);
    return next === undefined ? {} : { next };
  },
  staticData: { permission: 'public', bare: true },
  component: SignInPage,
});
