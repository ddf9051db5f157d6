import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { WEB_DIST } from './stage.ts';

/** Bytes of JavaScript after gzip: any page with everything it needs to be there, and what all pages share. */
const PAGE_LIMIT = 190_000;
const BASE_LIMIT = 142_000;

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

  it('loads less than 190 kB of JavaScript (gzip) before any page is there', () => {
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
