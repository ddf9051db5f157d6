import { createFileRoute } from '@tanstack/react-router';
import { validateMetricExploreSearch } from '../features/metrics/explore-search.ts';
import { MetricExplorer } from '../features/metrics/metric-explorer.tsx';

export const Route = createFileRoute('/metrics/explore')({
  validateSearch: validateMetricExploreSearch,
  staticData: { permission: 'reader', range: 'shown' },
  component: MetricExplorer,
});
