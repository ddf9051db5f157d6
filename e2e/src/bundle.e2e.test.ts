import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { agentTrace } from './seeds.ts';
import { LONG_SESSION, seedSession } from './seeds-sessions.ts';
import { openStage, type Stage, WEB_DIST } from './stage.ts';

/** Bytes of JavaScript after gzip: any page with everything it needs to be there, and what all pages share. */
const PAGE_LIMIT = 200_000;
/** What a browser loads for a page with its data, also what is asked for only once those are there. */
const LOADED_LIMIT = 212_000;
/** Nothing that a page asks for by itself comes later. */
const SETTLED_MS = 4_000;
/** Of this about 4 kB are names and paths of the API: they grow with every route. */
const BASE_LIMIT = 145_000;

const ROUTES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'apps', 'web', 'src', 'routes');
const manifestFile = join(WEB_DIST, '.vite', 'manifest.json');
const built = existsSync(manifestFile);
if (!built) console.warn('SKIPPED, size of the web UI: apps/web/dist is not built.');

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

describe.skipIf(!built)('size of the web UI', () => {
  const html = built ? readFileSync(join(WEB_DIST, 'index.html'), 'utf8') : '';
  const manifest = (built ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {}) as Record<string, Chunk>;

  /** Files that a chunk imports before it runs; `import()` ones come later and do not count. */
  function eager(name: string, seen = new Set<string>()): Set<string> {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`The build has no chunk ${name}.`);
    if (seen.has(chunk.file)) return seen;
    seen.add(chunk.file);
    for (const next of chunk.imports ?? []) eager(next, seen);
    return seen;
  }
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const known = sizes.get(file) ?? gzipSync(readFileSync(join(WEB_DIST, file))).length;
    sizes.set(file, known);
    return known;
  };
  const total = (files: Iterable<string>): number =>
    [...files].filter((file) => file.endsWith('.js')).reduce((sum, file) => sum + sizeOf(file), 0);

  it('shares a small base', () => {
    const bytes = total(eager('index.html'));
    console.info(`base: ${(bytes / 1_000).toFixed(1)} kB gzip`);
    expect(bytes).toBeLessThan(BASE_LIMIT);
  });

  it('loads less than 200 kB of JavaScript (gzip) before any page is there', () => {
    // Every route that shows something is a chunk of its own: whoever adds a page is measured without being asked.
    const pages = Object.keys(manifest).filter((name) => name.endsWith('?tsr-split=component'));
    const routes = readdirSync(ROUTES).filter((file) =>
      /\bcomponent:/.test(readFileSync(join(ROUTES, file), 'utf8')),
    );
    expect(
      routes.filter((file) => file !== '__root.tsx').map((file) => `src/routes/${file}?tsr-split=component`),
    )
      // The build may be older than a page that is being made: then the build is what is measured.
      .toEqual(expect.arrayContaining(pages));
    expect(pages.length).toBeGreaterThanOrEqual(3);
    const heavy: string[] = [];
    for (const page of pages) {
      const files = eager(page, eager('index.html'));
      const bytes = total(files);
      console.info(
        `${page.replace(/\?.*$/, '')}: ${(bytes / 1_000).toFixed(1)} kB gzip in ${files.size} files`,
      );
      if (bytes >= PAGE_LIMIT) heavy.push(`${page} ${bytes}`);
    }
    expect(heavy).toEqual([]);
  });

  it('needs neither inline scripts nor inline styles nor anybody else', () => {
    expect(html).not.toMatch(/<script(?![^>]*src=)[^>]*>/);
    expect(html).not.toMatch(/<style|style=/);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});

const missing = built ? whyNoBrowser() : 'apps/web/dist is not built';
if (missing !== undefined) console.warn(`SKIPPED, size of the web UI in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('size of the web UI in the browser', () => {
  let stage: Stage;
  const agent = agentTrace(Date.now() - 60_000);
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agent);
    await seedSession(stage, LONG_SESSION, 12, Date.now() - 60_000);
  });
  afterAll(() => stage?.close());

  const answered = `?span=${agent.spans[5]?.spanId}`;
  it.each([
    ['a trace with messages', `/traces/${agent.traceId}${answered}`, '.prose-message strong'],
    [
      'a tool call of a trace',
      `/traces/${agent.traceId}?span=${agent.spans[3]?.spanId}`,
      '[data-testid=span-panel] :text("left the warehouse")',
    ],
    [
      'the transcript of a trace',
      `/traces/${agent.traceId}${answered}&view=transcript`,
      '.prose-message strong',
    ],
    ['a session', `/sessions/${LONG_SESSION}`, '.prose-message'],
    ['traces', '/traces', '[role=row] a'],
    ['home', '/', 'main svg'],
  ])('loads less than 212 kB of JavaScript (gzip) for %s', async (name, path, shown) => {
    // Nothing of it is in the cache of a browser that saw only an answer of the API.
    const { page } = await stage.open('/api/health');
    const bodies: Promise<Buffer>[] = [];
    page.on('requestfinished', (request) => {
      if (!new URL(request.url()).pathname.endsWith('.js')) return;
      bodies.push(request.response().then((response) => response?.body() ?? Buffer.alloc(0)));
    });
    await page.goto(`${stage.platform.http}${path}`);
    await page.locator(shown).first().waitFor();
    await page.waitForTimeout(SETTLED_MS);
    const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
    console.info(`${name}: ${(bytes / 1_000).toFixed(1)} kB gzip in ${bodies.length} files, loaded`);
    expect(bytes).toBeGreaterThan(BASE_LIMIT / 2);
    expect(bytes).toBeLessThan(LOADED_LIMIT);
    await page.context().close();
  });
});
