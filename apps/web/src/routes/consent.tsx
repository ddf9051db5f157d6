import { createFileRoute } from '@tanstack/react-router';
import { ConsentPage } from '../features/sign-in/consent-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/consent')({
  validateSearch: (raw: Record<string, unknown>): { uid?: string } => {
    const uid = textParam(raw, 'uid', 64);
    return uid === undefined ? {} : { uid };
  },
  // Alone, but for somebody who is signed in: a refusal leads to signing in and back.
  staticData: { permission: 'signed-in', bare: true },
  component: ConsentPage,
});
