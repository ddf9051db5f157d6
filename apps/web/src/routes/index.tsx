import { createFileRoute } from '@tanstack/react-router';
import { House } from 'lucide-react';
import { HomePage } from '../features/home/home-page.tsx';

export const Route = createFileRoute('/')({
  staticData: {
    nav: { group: 'Observe', label: 'Home', icon: House, order: 10 },
    range: 'compared',
    permission: 'reader',
  },
  component: HomePage,
});
