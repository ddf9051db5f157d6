import { createFileRoute } from '@tanstack/react-router';
import { InvitationPage } from '../features/sign-in/invitation-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/invitation')({
  validateSearch: (raw: Record<string, unknown>): { token?: string } => {
    const token = textParam(raw, 'token', 128);
    return token === undefined ? {} : { token };
  },
  staticData: { permission: 'public', bare: true },
  component: InvitationPage,
});
