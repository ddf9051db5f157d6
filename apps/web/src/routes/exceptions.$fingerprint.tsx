import { createFileRoute } from '@tanstack/react-router';
import { ExceptionPage } from '../features/exceptions/exception-page.tsx';
import { validateExceptionSearch } from '../features/exceptions/exceptions-search.ts';

export const Route = createFileRoute('/exceptions/$fingerprint')({
  validateSearch: validateExceptionSearch,
  staticData: { permission: 'reader', range: 'shown' },
  component: ExceptionPage,
});
