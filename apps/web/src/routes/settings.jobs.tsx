import { createFileRoute } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { JobsPage } from '../features/settings/jobs-page.tsx';

export const Route = createFileRoute('/settings/jobs')({
  staticData: {
    nav: { group: 'Settings', label: 'Jobs', icon: CalendarClock, order: 120 },
    permission: 'admin',
  },
  component: JobsPage,
});
