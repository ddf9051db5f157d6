import { createFileRoute } from '@tanstack/react-router';
import { BrainCircuit } from 'lucide-react';
import { ModelsPage } from '../features/settings/models-page.tsx';

export const Route = createFileRoute('/settings/models')({
  staticData: {
    nav: { group: 'Settings', label: 'Models & prices', icon: BrainCircuit, order: 75 },
    permission: 'viewer',
  },
  component: ModelsPage,
});
