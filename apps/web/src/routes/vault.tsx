import { createFileRoute } from '@tanstack/react-router';
import { LockKeyhole } from 'lucide-react';
import { VaultPage } from '../features/vault/vault-page.tsx';
import { validateVaultSearch } from '../features/vault/vault-search.ts';

export const Route = createFileRoute('/vault')({
  validateSearch: validateVaultSearch,
  staticData: {
    nav: { group: 'Build', label: 'Vault', icon: LockKeyhole, order: 40 },
    permission: 'viewer',
  },
  component: VaultPage,
});
