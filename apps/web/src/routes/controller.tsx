import { createFileRoute } from '@tanstack/react-router';
import { Radar } from 'lucide-react';
import { ControllerPage } from '../features/controller/controller-page.tsx';

export const Route = createFileRoute('/controller')({
  staticData: {
    nav: { group: 'Infrastructure', label: 'Controller', icon: Radar, order: 20 },
    permission: 'viewer',
  },
  component: ControllerPage,
});
