import { createFileRoute } from '@tanstack/react-router';
import { PromptPage } from '../features/prompts/prompt-page.tsx';
import { validatePromptSearch } from '../features/prompts/prompts-search.ts';

export const Route = createFileRoute('/prompts/$prompt')({
  validateSearch: validatePromptSearch,
  staticData: { permission: 'viewer', range: 'shown' },
  component: PromptPage,
});
