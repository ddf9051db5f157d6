import { createFileRoute } from '@tanstack/react-router';
import { ProviderPage } from '../features/sign-in/provider-page.tsx';

export const Route = createFileRoute('/sign-in/$provider')({
  // What the other place says stands in the address as it came, until the page has read it.
  validateSearch: (raw: Record<string, unknown>) => ({ ...raw }) as { code?: string; state?: string },
  staticData: { permission: 'public', bare: true },
  component: ProviderPage,
});
