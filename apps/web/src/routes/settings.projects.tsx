import { createFileRoute } from '@tanstack/react-router';
import { FolderKanban } from 'lucide-react';
import { ProjectsPage } from '../features/settings/projects-page.tsx';

export const Route = createFileRoute('/settings/projects')({
  staticData: {
    nav: { group: 'Settings', label: 'Projects', icon: FolderKanban, order: 30 },
    permission: 'viewer',
  },
  component: ProjectsPage,
});
