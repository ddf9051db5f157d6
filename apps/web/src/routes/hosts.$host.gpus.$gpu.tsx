import { createFileRoute } from '@tanstack/react-router';
import { GpuPage } from '../features/hosts/gpu-page.tsx';
import { validateGpuSearch } from '../features/hosts/hosts-search.ts';

export const Route = createFileRoute('/hosts/$host/gpus/$gpu')({
  validateSearch: validateGpuSearch,
  staticData: { permission: 'reader', range: 'shown' },
  component: GpuPage,
});
