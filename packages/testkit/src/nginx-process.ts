import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** An nginx of the test's own before several servers. */
export interface NginxProcess {
  /** Address of what a port of the configuration stands for, e.g. `http://127.0.0.1:41234`. */
  addressOf(port: number): string;
  stop(): Promise<void>;
}

export interface NginxOptions {
  /** A configuration as it is shipped. */
  readonly config: string;
  /** `host:port` of the servers of each upstream, by its name. */
  readonly upstreams: Readonly<Record<string, readonly string[]>>;
  /** Ports that stand for those which the configuration listens on. */
  readonly ports: Readonly<Record<number, number>>;
  /** Of waiting for an answer: shorter than it is shipped with, for a test to be short. */
  readonly readTimeout: string;
}

const READY_MS = 20_000;

/** Whether nginx is on this machine (Debian: `nginx`); says so on standard error where it is not. */
export function hasNginx(): boolean {
  const there = spawnSync('nginx', ['-v']).status === 0;
  if (!there) {
    process.stderr.write(
      'SKIPPED: no nginx on this machine (install the package nginx); tests behind it do not run.\n',
    );
  }
  return there;
}

/** Ports that are free at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      server.close();
      await once(server, 'close');
      return typeof address === 'object' && address !== null ? address.port : 0;
    }),
  );
}

/** Starts nginx with a shipped configuration, its addresses exchanged. */
export async function startNginx(options: NginxOptions): Promise<NginxProcess> {
  const { ports } = options;
  const dir = mkdtempSync(join(tmpdir(), 'candela-nginx-'));
  const file = join(dir, 'nginx.conf');
  writeFileSync(file, placed(options, dir));
  const args = ['-p', dir, '-c', file, '-e', 'stderr', '-g', `daemon off; pid ${join(dir, 'pid')};`];
  const child = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  const killWithCaller = () => child.kill('SIGKILL');
  process.once('exit', killWithCaller);
  const addressOf = (port: number): string => `http://127.0.0.1:${ports[port] ?? port}`;
  const [first] = Object.keys(ports).map(Number);
  const until = Date.now() + READY_MS;
  while (
    !(await fetch(addressOf(first ?? 0)).then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`nginx did not start:\n${output}`);
    await sleep(50);
  }
  return {
    addressOf,
    async stop() {
      process.off('exit', killWithCaller);
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The configuration with the test's addresses, and with nothing outside its directory. */
function placed({ config, upstreams, ports, readTimeout }: NginxOptions, dir: string): string {
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(dir, kind)};`,
  );
  return (
    config
      .replaceAll(/upstream (\w+)\s*\{[^}]*\}/g, (_whole, name: string) => {
        const servers = (upstreams[name] ?? []).map((at) => `server ${at} max_fails=2 fail_timeout=5s;`);
        return `upstream ${name} { ${servers.join(' ')} keepalive 64; }`;
      })
      .replaceAll(
        /listen (\d+);/g,
        (_whole, port: string) => `listen 127.0.0.1:${ports[Number(port)] ?? port};`,
      )
      // Known from 1.25 on; before it is a word of `listen`.
      .replaceAll(/listen ([^;]+);\s*http2 on;/g, 'listen $1 http2;')
      .replaceAll(/proxy_read_timeout [^;]+;/g, `proxy_read_timeout ${readTimeout};`)
      .replace(/http \{/, `http {\n  access_log off;\n${own.join('\n')}`)
  );
}
