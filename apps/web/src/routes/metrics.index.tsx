import { createFileRoute } from '@tanstack/react-router';
import { ChartLine } from 'lucide-react';
import { validateCatalogueSearch } from '../features/metrics/catalogue-search.ts';
import { MetricsPage } from '../features/metrics/metrics-page.tsx';

export const Route = createFileRoute('/metrics/')({
  validateSearch: validateCatalogueSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Metrics', icon: ChartLine, order: 60 },
    permission: 'reader',
    range: 'shown',
  },
  component: MetricsPage,
});
