import { HOSTILE_HTML, mediaTrace, picture, tone, upload } from '../media.ts';
import { largeTrace } from '../seeds.ts';
import { oddTrace, shapesTrace } from '../seeds-shapes.ts';
import { NARROW, PHONE, type ShotGroup, traceOf } from './shot.ts';

const TREE = '[role=treeitem]';
const odd = oddTrace(Date.now() - 31 * 3_600_000);
const shapes = shapesTrace(Date.now() - 32 * 3_600_000);
const large = largeTrace(30_000, Date.now() - 30 * 3_600_000);
const uploads = [picture(640, 320), tone(20), HOSTILE_HTML];
const media = mediaTrace(Date.now() - 33 * 3_600_000, uploads);
const mediaSpan = { traceId: media.traceId, spanId: media.spans[0]?.spanId ?? '' };
const mediaShot = {
  path: `/traces/${media.traceId}?span=${mediaSpan.spanId}`,
  ready: 'audio',
} as const;

export const traceShots: ShotGroup = {
  async seed(stage) {
    await stage.seed(large, odd, shapes, media);
    for (const one of uploads) await upload(stage.platform.http, one, mediaSpan);
  },
  shots: [
    { name: 'trace-media', ...mediaShot },
    { name: 'trace-media-phone', ...mediaShot, size: PHONE },
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
    {
      name: 'trace-graph',
      path: async (stage) => `/traces/${await traceOf(stage, 'service:research-crew')}?view=graph`,
      ready: '[data-testid=trace-graph] svg',
    },
    {
      name: 'trace-logs',
      path: async (stage) =>
        `/traces/${await traceOf(stage, 'service:support-agent status:error')}?view=logs`,
      ready: '[data-testid=trace-logs] li',
    },
    {
      name: 'trace-search',
      path: async (stage) =>
        `/traces/${await traceOf(stage, 'service:support-agent status:error')}?find=refund`,
      ready: TREE,
      act: async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.press('Enter');
      },
    },
    { name: 'trace-odd', path: `/traces/${odd.traceId}`, ready: '[aria-label=Notes]' },
    {
      name: 'trace-shapes',
      path: `/traces/${shapes.traceId}?span=${shapes.spans[1]?.spanId}`,
      ready: 'article',
    },
    {
      name: 'trace-30000-graph',
      path: `/traces/${large.traceId}?view=graph`,
      ready: '[data-testid=trace-graph] svg',
    },
    { name: 'trace-30000', path: `/traces/${large.traceId}`, ready: TREE },
    { name: 'trace-absent', path: `/traces/${'0'.repeat(31)}1`, ready: 'text=This trace is not here' },
  ],
};
