/**
 * The engine host's entry: opens the engine on its directory, serves it on a Unix socket, and ends at once when its
 * parent does. Started by the supervisor with one JSON argument and an empty environment.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { configXml, usersXml } from './config-xml.ts';
import type { Engine as EngineType } from './engine.ts';
import { createEngineServer } from './http-server.ts';
import { Inbox } from './inbox.ts';
import { isAlive, readOwner } from './owner.ts';
import {
  type HostMessage,
  type HostOptions,
  INBOX_DIR,
  OUTBOX_DIR,
  isOutside,
  OWNER_FILE,
  type Owner,
  STORE_DIR,
} from './protocol.ts';
import { watchStuckStatements } from './stuck.ts';
import { forgetUnusedTokens } from './token-log.ts';

process.umask(0o077);
/** No exit handlers, no native teardown: the kernel frees the directory's lock at this instant. */
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
process.on('disconnect', die);
// A terminal's Ctrl-C reaches the whole group; the parent decides when the engine may go.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const options: HostOptions = JSON.parse(process.argv[2] ?? '{}');
const { engineDir, socketPath, caps, stuckGraceSeconds } = options;

const send = (message: HostMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

async function main(): Promise<void> {
  const started = performance.now();
  for (const dir of [engineDir, join(engineDir, STORE_DIR), join(engineDir, INBOX_DIR)]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }
  process.chdir(engineDir);

  const engine = await openEngine();
  removeSocketOf(readOwner(engineDir));
  const owner: Owner = {
    hostPid: process.pid,
    parentPid: process.ppid,
    startedAt: new Date().toISOString(),
    socketPath,
  };
  writeFileSync(join(engineDir, OWNER_FILE), `${JSON.stringify(owner)}\n`);

  const server = createEngineServer({
    engine,
    inbox: new Inbox(join(engineDir, INBOX_DIR)),
    outboxDir: join(engineDir, OUTBOX_DIR),
    concurrentQueries: caps.concurrentQueries,
    executionSeconds: caps.executionSeconds,
    watch: watchStuckStatements(stuckGraceSeconds, () => {
      // It cannot be cancelled from inside; ending the process is the only way.
      process.stderr.write('A statement did not end within its bound; ending the engine host.\n');
      die();
    }),
  });
  rmSync(socketPath, { force: true });
  server.listen(socketPath, () => {
    chmodSync(socketPath, 0o600);
    void send({ kind: 'ready', version: engine.version, openMs: Math.round(performance.now() - started) });
    flushCompileCache();
  });
  process.on('message', (message) => {
    if (message !== 'stop') return;
    // In-flight answers first, then the engine, then out: idle connections are the client's habit, not work.
    server.close(() => {
      engine.close();
      die();
    });
    server.closeIdleConnections();
  });
}

/** The library reads `config.xml` when it opens, and loads its half gigabyte on import: only with the files in place. */
async function openEngine(): Promise<EngineType> {
  writeFileSync(join(engineDir, 'config.xml'), configXml(caps, engineDir));
  writeFileSync(join(engineDir, 'users.xml'), usersXml(caps));
  const { Engine } = await import('./engine.ts');
  repairTokens();
  return new Engine(join(engineDir, STORE_DIR));
}

/**
 * A host that was killed has left its socket. One that lives has the directory that ours is a copy of. A socket in the
 * directory itself is replaced anyway.
 */
function removeSocketOf(predecessor: Owner | undefined): void {
  if (predecessor?.socketPath === undefined || isAlive(predecessor.hostPid)) return;
  if (isOutside(predecessor.socketPath)) rmSync(predecessor.socketPath, { force: true });
}

/** Not while the host before us lives: then the engine will refuse to open, and the next try comes here again. */
function repairTokens(): void {
  const hostPid = readOwner(engineDir)?.hostPid;
  const lives =
    hostPid !== undefined && hostPid !== process.pid && hostPid !== process.ppid && isAlive(hostPid);
  if (lives) return;
  const forgotten = forgetUnusedTokens(join(engineDir, STORE_DIR));
  if (forgotten > 0)
    process.stderr.write(`${forgotten} insert(s) were cut off before their end and may be repeated.\n`);
}

main().catch(async (error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  await send({ kind: 'failed', message });
  die();
});
