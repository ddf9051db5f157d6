import { largeTrace } from '../seeds.ts';
import { NARROW, type ShotGroup, traceOf } from './shot.ts';

const TREE = '[role=treeitem]';
const large = largeTrace(30_000, Date.now() - 30 * 3_600_000);

export const traceShots: ShotGroup = {
  seed: (stage) => stage.seed(large),
  shots: [
    {
      name: 'trace-agents',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:research-crew')}`,
      ready: TREE,
    },
    {
      name: 'trace-transcript',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:research-crew')}?view=transcript`,
      ready: 'article',
    },
    {
      name: 'trace-timeline',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:research-crew')}?view=timeline`,
      ready: '[role=option]',
    },
    {
      name: 'trace-failed',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:support-agent status:error')}`,
      ready: TREE,
      act: (page) => page.keyboard.press('e'),
    },
    {
      name: 'trace-attributes',
      path: async (stage) =>
        `/traces/${await traceOf(stage, 'service:support-agent status:error')}?tab=attributes`,
      ready: 'dt',
    },
    {
      name: 'trace-rag',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:knowledge-api')}`,
      ready: TREE,
    },
    {
      name: 'trace-narrow',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:knowledge-api')}`,
      ready: TREE,
      size: NARROW,
    },
    { name: 'trace-30000', path: `/traces/${large.traceId}`, ready: TREE },
    { name: 'trace-absent', path: `/traces/${'0'.repeat(31)}1`, ready: 'text=This trace is not here' },
  ],
};
