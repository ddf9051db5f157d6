import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the server answers a request that brought the right token; undefined is a 404. */
export type ApiAnswer = (url: URL, request: IncomingMessage, response: ServerResponse) => unknown;

export interface FakeApiServer {
  /** As an agent in a pod has it. */
  readonly access: { readonly host: string; readonly port: number; readonly accountDirectory: string };
  readonly asked: readonly { readonly path: string; readonly token: string }[];
  /** From now on only this token is accepted; the kubelet's file has it when `told`. */
  rotateToken(token: string, told: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A Kubernetes API server over TLS, with an authority and a service account made for it. */
export async function startFakeApiServer(answer: ApiAnswer): Promise<FakeApiServer> {
  const directory = await mkdtemp(join(tmpdir(), 'fake-cluster-'));
  const accountDirectory = join(directory, 'serviceaccount');
  await mkdir(accountDirectory);
  const [key, certificate] = [join(directory, 'key.pem'), join(accountDirectory, 'ca.crt')];
  const recipe =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=fake-cluster';
  const san = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  await promisify(execFile)('openssl', [...recipe.split(' '), ...san, '-keyout', key, '-out', certificate]);

  const asked: { path: string; token: string }[] = [];
  let token = 'first-token';
  await writeFile(join(accountDirectory, 'token'), token);
  const server = createServer(
    { key: await readFile(key), cert: await readFile(certificate) },
    (request, response) => {
      const shown = request.headers.authorization ?? '';
      asked.push({ path: request.url ?? '', token: shown });
      if (shown !== `Bearer ${token}`) {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"kind":"Status","code":401}');
        return;
      }
      const body = answer(new URL(request.url ?? '/', 'https://cluster'), request, response);
      if (response.writableEnded || response.headersSent) return;
      if (body === undefined) {
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"kind":"Status","code":404}');
      } else if (body !== HANG) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The API server has no port.');
  return {
    access: { host: '127.0.0.1', port: address.port, accountDirectory },
    asked,
    rotateToken: async (next, told) => {
      token = next;
      if (told) await writeFile(join(accountDirectory, 'token'), next);
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An answer that never comes. */
export const HANG = Symbol('hang');
