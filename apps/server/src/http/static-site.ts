import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedEncodings } from './encodings.ts';

interface StaticAnswer {
  readonly status: 200 | 304 | 404;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;
}

export interface StaticSite {
  /** The file at that path, or the page of the app for a path that names none. */
  answer(path: string, request: { acceptEncoding: string; ifNoneMatch: string }): Promise<StaticAnswer>;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json'],
  ['.map', 'application/json'],
]);
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;

const NOT_BUILT = `<!doctype html><html lang="en"><title>Candela</title>
<h1>The web UI is not built</h1><p>Start with <code>npm start</code>, which builds it. The API works: see <a href="/openapi-spec">/openapi-spec</a>.</p></html>`;

interface Representation {
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * Serves the built web UI. The files are listed beforehand and a request can only name a listed one, so no path
 * leaves the directory. Compressed forms are made once and kept.
 */
export function createStaticSite(directory: string): StaticSite {
  let files = new Map<string, string>();
  let listedAt = -1;
  const kept = new Map<string, Promise<Representation>>();

  /** A build that replaced the files shows by its new index page. */
  function refresh(): void {
    const index = statSync(join(directory, 'index.html'), { throwIfNoEntry: false });
    const changed = index?.mtimeMs ?? 0;
    if (changed === listedAt) return;
    listedAt = changed;
    kept.clear();
    files = index === undefined ? new Map() : list(directory);
  }

  function represent(file: string, encoding: string): Promise<Representation> {
    const name = `${encoding} ${file}`;
    let made = kept.get(name);
    if (made === undefined) {
      made = read(file, encoding);
      kept.set(name, made);
      made.catch(() => kept.delete(name));
    }
    return made;
  }

  return {
    async answer(path, request) {
      if (path === '/' || !files.has(path)) refresh();
      const asset = path.startsWith('/assets/');
      const hidden = path.includes('/.');
      // Further down stand ids that senders chose: `/users/ann@example.com` is a page.
      const isNamedFile = path.lastIndexOf('/') === 0 && extname(path) !== '';
      const file = files.get(path) ?? (asset || hidden || isNamedFile ? undefined : files.get('/index.html'));
      if (file === undefined) {
        return files.size === 0 && !asset ? html(200, NOT_BUILT) : notFound();
      }
      const type = TYPES.get(extname(file).toLowerCase()) ?? 'application/octet-stream';
      const encoding = COMPRESSIBLE.test(type) ? chooseEncoding(request.acceptEncoding) : 'identity';
      const made = await represent(file, encoding).catch((thrown: unknown) => {
        if (!isGone(thrown)) throw thrown;
        return undefined;
      });
      // An upgrade takes the old files away before, or while, it brings its index page.
      if (made === undefined) return notFound();
      const { body, etag } = made;
      const headers: Record<string, string> = {
        'content-type': type,
        'cache-control': asset ? 'public, max-age=31536000, immutable' : 'no-cache',
        vary: 'accept-encoding',
        etag,
      };
      if (encoding !== 'identity') headers['content-encoding'] = encoding;
      const known = request.ifNoneMatch.split(',').some((tag) => tag.trim() === etag);
      return known ? { status: 304, headers, body: undefined } : { status: 200, headers, body };
    },
  };
}

const notFound = (): StaticAnswer => html(404, '<!doctype html><title>Not found</title>Not found');

const isGone = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

function html(status: 200 | 404, text: string): StaticAnswer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: Buffer.from(text),
  };
}

/** Every plain file below, by its URL path. Links and dot files are left out. */
function list(directory: string): Map<string, string> {
  const entries: Dirent[] = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return new Map(
    files.map((entry): [string, string] => {
      const full = join(entry.parentPath, entry.name);
      return [`/${relative(directory, full).split(sep).join('/')}`, full];
    }),
  );
}

function chooseEncoding(accepted: string): 'br' | 'gzip' | 'identity' {
  const offers = acceptedEncodings(accepted);
  if (offers.has('br')) return 'br';
  return offers.has('gzip') ? 'gzip' : 'identity';
}

async function read(file: string, encoding: string): Promise<Representation> {
  const plain = await readFile(file);
  const etag = `"${createHash('sha256').update(plain).update(encoding).digest('base64url').slice(0, 22)}"`;
  if (encoding === 'gzip') return { body: await promisify(gzip)(plain), etag };
  if (encoding === 'br') {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 6 };
    return { body: await promisify(brotliCompress)(plain, { params }), etag };
  }
  return { body: plain, etag };
}
