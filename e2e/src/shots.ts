import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_BINARY } from '@candela/testkit';
import type { Page } from 'playwright-core';
import { whyNoBrowser } from './chromium.ts';
import { largeTrace } from './seeds.ts';
import { openStage, type Stage } from './stage.ts';

/** Pictures of every page in both themes with the demo data, for people to look at: `npm run shots [-- name]`. */
const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = join(HERE, '..', 'shots');
const DEMO = join(HERE, '..', '..', 'apps', 'demo', 'src', 'main.ts');

interface Shot {
  readonly name: string;
  readonly path: string;
  /** What must be on screen before the picture, and what to do for it. */
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
  readonly size?: { width: number; height: number };
}

async function demo(stage: Stage): Promise<void> {
  // A slow end: it must not dwarf the hours before it.
  const past = ['--seed', '1', '--backfill', '20h', '--backfill-rate', '0.02'];
  const args = [...past, '--rate', '0.1', '--duration', '3s'];
  const child = spawn(NODE_BINARY, [DEMO, '--endpoint', stage.platform.otlpHttp, ...args], {
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The demo ended with code ${code}.`);
}

/** The newest trace that fits the query and has the most spans. */
async function traceOf(stage: Stage, q: string): Promise<string> {
  const response = await fetch(`${stage.platform.http}/api/telemetry/traces/search`, {
    method: 'POST',
    body: JSON.stringify({ q, sort: '-spanCount', limit: 1 }),
  });
  const { data } = (await response.json()) as { data: { traceId: string }[] };
  const first = data[0];
  if (first === undefined) throw new Error(`No trace of the demo fits ${q}.`);
  return first.traceId;
}

async function shots(stage: Stage, large: string): Promise<Shot[]> {
  const research = await traceOf(stage, 'service:research-crew');
  const support = await traceOf(stage, 'service:support-agent status:error');
  const rag = await traceOf(stage, 'service:knowledge-api');
  const tree = '[role=treeitem]';
  const rows = '[role=row][aria-rowindex]';
  return [
    { name: 'traces', path: '/traces', ready: rows },
    { name: 'traces-filtered', path: '/traces?q=service:support-agent+status:error', ready: rows },
    { name: 'traces-spans', path: '/traces?view=spans&q=model:*', ready: rows },
    { name: 'traces-wide', path: '/traces', ready: rows, size: { width: 1920, height: 1080 } },
    { name: 'traces-narrow', path: '/traces', ready: rows, size: { width: 820, height: 1100 } },
    {
      name: 'traces-completion',
      path: '/traces',
      ready: rows,
      act: async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('status:error model:');
        await page.waitForTimeout(800);
      },
    },
    { name: 'traces-trouble', path: '/traces?q=duration>2x+status:error', ready: '[role=alert]' },
    { name: 'traces-nothing', path: '/traces?q=service:nobody', ready: 'text=Nothing matches' },
    { name: 'palette', path: '/traces', ready: rows, act: (page) => page.keyboard.press('Control+k') },
    { name: 'keys', path: '/traces', ready: rows, act: (page) => page.keyboard.press('?') },
    { name: 'time-range', path: '/traces', ready: rows, act: (page) => page.keyboard.press('d') },
    { name: 'trace-agents', path: `/traces/${research}`, ready: tree },
    { name: 'trace-transcript', path: `/traces/${research}?view=transcript`, ready: 'article' },
    { name: 'trace-timeline', path: `/traces/${research}?view=timeline`, ready: '[role=option]' },
    {
      name: 'trace-failed',
      path: `/traces/${support}`,
      ready: tree,
      act: (page) => page.keyboard.press('e'),
    },
    { name: 'trace-attributes', path: `/traces/${support}?tab=attributes`, ready: 'dt' },
    { name: 'trace-rag', path: `/traces/${rag}`, ready: tree },
    { name: 'trace-narrow', path: `/traces/${rag}`, ready: tree, size: { width: 820, height: 1100 } },
    { name: 'trace-30000', path: `/traces/${large}`, ready: tree },
    { name: 'trace-absent', path: `/traces/${'0'.repeat(31)}1`, ready: 'text=This trace is not here' },
    { name: 'not-found', path: '/no/such/page', ready: 'text=There is no such page' },
  ];
}

async function take(stage: Stage, shot: Shot): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    const { page, complaints } = await stage.open(shot.path, { colorScheme });
    if (shot.size) await page.setViewportSize(shot.size);
    await page.locator(shot.ready).first().waitFor();
    await page.waitForTimeout(900);
    await shot.act?.(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(OUT, `${shot.name}.${colorScheme}.png`) });
    await page.context().close();
    // A page that asked for something absent is told so; anything else is a fault.
    for (const complaint of complaints)
      if (!complaint.includes('404')) console.warn(`${shot.name} (${colorScheme}): ${complaint}`);
  }
  console.log(shot.name);
}

const missing = whyNoBrowser();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
mkdirSync(OUT, { recursive: true });
const only = process.argv[2];
const stage = await openStage();
try {
  const first: Shot = { name: 'first-run', path: '/', ready: 'text=Send the first trace' };
  if (only === undefined || first.name.includes(only)) await take(stage, first);
  await demo(stage);
  const large = largeTrace(30_000, Date.now() - 30 * 3_600_000);
  await stage.seed(large);
  for (const shot of await shots(stage, large.traceId))
    if (only === undefined || shot.name.includes(only)) await take(stage, shot);
  console.log(`Pictures are in ${OUT}`);
} finally {
  await stage.close();
}
