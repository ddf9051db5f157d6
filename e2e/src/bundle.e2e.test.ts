import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { WEB_DIST } from './stage.ts';

const LIMIT = 200_000;
const assets = join(WEB_DIST, 'assets');
const built = existsSync(assets);
if (!built) console.warn('SKIPPED, size of the web UI: apps/web/dist is not built.');

/** Files that a file imports before it runs; `import()` ones come later and do not count. */
function eager(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(join(assets, file), 'utf8');
  for (const [, next] of source.matchAll(/(?:from|import)\s*["'`]\.\/([\w.$-]+\.js)["'`]/g))
    eager(next as string, seen);
  return seen;
}

describe.skipIf(!built)('size of the web UI', () => {
  const html = built ? readFileSync(join(WEB_DIST, 'index.html'), 'utf8') : '';
  const entries = [...html.matchAll(/assets\/([\w.$-]+\.js)/g)].map((match) => match[1] as string);
  const pages = built ? readdirSync(assets).filter((file) => /^(traces|index)[\w.$-]*\.js$/.test(file)) : [];

  it('loads less than 200 kB of JavaScript (gzip) before any page is there', () => {
    const shell = entries.reduce((seen, entry) => eager(entry, seen), new Set<string>());
    expect(pages.length).toBeGreaterThanOrEqual(3);
    for (const page of pages) {
      const files = eager(page, new Set(shell));
      const bytes = [...files].reduce(
        (sum, file) => sum + gzipSync(readFileSync(join(assets, file))).length,
        0,
      );
      console.info(`${page}: ${(bytes / 1_000).toFixed(0)} kB gzip in ${files.size} files`);
      expect(bytes, page).toBeLessThan(LIMIT);
    }
  });

  it('needs neither inline scripts nor inline styles nor anybody else', () => {
    expect(html).not.toMatch(/<script(?![^>]*src=)[^>]*>/);
    expect(html).not.toMatch(/<style|style=/);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
