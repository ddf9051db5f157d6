import { createFileRoute } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { IngestPage } from '../features/ingest-health/ingest-page.tsx';

export const Route = createFileRoute('/settings/ingest')({
  staticData: {
    nav: { group: 'Settings', label: 'Ingest health', icon: Activity, order: 110 },
    permission: 'reader',
  },
  component: IngestPage,
});
