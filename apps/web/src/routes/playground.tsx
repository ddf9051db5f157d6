import { createFileRoute } from '@tanstack/react-router';
import { Blocks } from 'lucide-react';
import { PlaygroundPage } from '../features/playground/playground-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/playground')({
  validateSearch: (raw: Record<string, unknown>): { trace?: string; span?: string; run?: string } => {
    const [trace, span] = [textParam(raw, 'trace', 32), textParam(raw, 'span', 16)];
    const run = textParam(raw, 'run', 64);
    return {
      ...(trace === undefined ? {} : { trace }),
      ...(span === undefined ? {} : { span }),
      ...(run === undefined ? {} : { run }),
    };
  },
  staticData: {
    nav: { group: 'Build', label: 'Playground', icon: Blocks, order: 15 },
    permission: 'member',
  },
  component: PlaygroundPage,
});
