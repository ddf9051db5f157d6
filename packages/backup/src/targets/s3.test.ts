import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Repository } from '../repository.ts';
import { targetOf } from './index.ts';
import { BackupError, type Target } from './target.ts';

/** A server with the four requests of S3 that backups make, and two keys a page. */
const stored = new Map<string, Buffer>();
const asked: string[] = [];
/** Answers in its place, once. */
let instead: ((response: ServerResponse) => void) | undefined;
const PAGE = 2;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
  asked.push(`${request.method} ${request.headers.authorization?.split(' ')[0]}`);
  const body = Buffer.concat(await request.toArray());
  const own = instead;
  instead = undefined;
  if (own !== undefined) return own(response);
  const key = pathname.replace('/bucket/', '');
  if (request.method === 'PUT') stored.set(key, body);
  if (request.method === 'DELETE') stored.delete(key);
  if (request.method === 'GET' && searchParams.has('list-type')) {
    const keys = [...stored.keys()].filter((one) => one.startsWith(searchParams.get('prefix') ?? '')).sort();
    const from = Number(searchParams.get('continuation-token')?.replace('a&b=', '') ?? 0);
    const more = from + PAGE < keys.length;
    response.end(
      `<ListBucketResult>${keys
        .slice(from, from + PAGE)
        .map((one) => `<Contents><Key>${one}</Key></Contents>`)
        .join(
          '',
        )}${more ? `<NextContinuationToken>a&amp;b=${from + PAGE}</NextContinuationToken>` : ''}</ListBucketResult>`,
    );
    return undefined;
  }
  const found = stored.get(key);
  if (request.method === 'GET' && found === undefined) response.statusCode = 404;
  response.end(request.method === 'GET' ? found : undefined);
}

const server = createServer((request, response) => void answer(request, response));
let target: Target;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  target = targetOf('s3://bucket/some/place', {
    PLATFORM_BACKUP_S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  stored.clear();
  asked.length = 0;
});

it('keeps, lists over pages, gives back and removes, below its prefix and signed', async () => {
  stored.set('elsewhere/backups/x', Buffer.from('not ours'));
  const paths = ['backups/1', 'backups/2', 'backups/3', 'backups/4', 'backups/5'];
  for (const path of paths) await target.put(path, Buffer.from(path));
  expect([...stored.keys()].filter((key) => key.startsWith('some/place/'))).toHaveLength(paths.length);
  expect(await Array.fromAsync(target.list('backups/'))).toEqual(paths);
  expect((await target.get('backups/3'))?.toString()).toBe('backups/3');
  await target.remove('backups/3');
  expect(await target.get('backups/3')).toBeUndefined();
  expect(new Set(asked.map((one) => one.split(' ')[1]))).toEqual(new Set(['AWS4-HMAC-SHA256']));
});

it('asks again where the server is busy', async () => {
  instead = (response) => response.writeHead(503).end();
  await target.put('backups/1', Buffer.from('x'));
  expect(stored.get('some/place/backups/1')?.toString()).toBe('x');
  expect(asked).toHaveLength(2);
});

it('says in a sentence what the server refuses, and what breaks off', async () => {
  instead = (response) => response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
  await expect(target.put('backups/1', Buffer.from('x'))).rejects.toThrow(
    's3://bucket/some/place/ refused to store: 403 AccessDenied',
  );
  const cut = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  };
  instead = cut;
  await expect(target.get('backups/1')).rejects.toThrow(BackupError);
  instead = cut;
  await expect(Array.fromAsync(target.list('backups/'))).rejects.toThrow(BackupError);
});

it('says why a server cannot be reached', async () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const nowhere = targetOf('s3://bucket', { ...keys, PLATFORM_BACKUP_S3_ENDPOINT: 'http://127.0.0.1:1' });
  await expect(nowhere.get('x')).rejects.toThrow('s3://bucket/ cannot be reached: bad port.');
});

it('does not take a page of something else for an empty place', async () => {
  instead = (response) => response.end('<html>Sign in</html>');
  await expect(Array.fromAsync(target.list('backups/'))).rejects.toThrow('something else than a list');
  instead = (response) => response.writeHead(301, { location: '/elsewhere' }).end();
  await expect(Repository.open(target, undefined)).rejects.toThrow(BackupError);
});
