import { createFileRoute } from '@tanstack/react-router';
import { TracePage } from '../features/trace/trace-page.tsx';
import { validateTraceSearch } from '../features/trace/trace-search.ts';

export const Route = createFileRoute('/traces/$traceId')({
  validateSearch: validateTraceSearch,
  staticData: { permission: 'reader' },
  component: TracePage,
});
