import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../../../cli/src/main.ts', import.meta.url));
const PID = 4_242;

/** What goes by between a controller and the platform. */
export interface Passing {
  readonly request: { readonly action_results?: readonly unknown[] };
  /** Undefined while the request is on its way. */
  readonly answer: { readonly actions?: readonly unknown[] } | undefined;
}

/**
 * A host with a program of Python that is a unit of systemd, `candela controller` as a process, and the network between
 * it and the platform. `cut` is asked of everything that goes by; what it says yes to never arrives, and the
 * controller is killed at that moment.
 */
export class ControllerHost {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'candela-host-'));
  readonly #platform: URL;
  readonly #network: Server;
  #child: ChildProcess | undefined;
  cut: (passing: Passing) => boolean = () => false;
  kills = 0;
  output = '';

  constructor(platform: string) {
    this.#platform = new URL(platform);
    const program = join(this.folder, 'proc', String(PID));
    mkdirSync(join(program, 'fd'), { recursive: true });
    symlinkSync('/usr/bin/python3', join(program, 'exe'));
    const fields = Array.from({ length: 50 }, () => 7).join(' ');
    for (const [name, text] of [
      ['cmdline', 'python3\0-m\0openai\0'],
      ['stat', `${PID} (python3) S ${fields}`],
      ['cgroup', '0::/system.slice/shop.service\n'],
      ['maps', '7f00-7f01 r-xp 0 0:0 1 /usr/lib/libssl.so.3\n'],
    ] as const)
      writeFileSync(join(program, name), text);
    this.#network = createServer((incoming, outgoing) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.once('end', () =>
        this.#pass(incoming.url ?? '/', incoming.headers, Buffer.concat(parts), outgoing),
      );
    });
  }

  #pass(path: string, headers: IncomingHttpHeaders, body: Buffer, outgoing: ServerResponse): void {
    const asked = JSON.parse(body.toString()) as Passing['request'];
    if (this.#cuts({ request: asked, answer: undefined })) return;
    const onward = request(new URL(path, this.#platform), {
      method: 'POST',
      headers: { ...headers, host: this.#platform.host },
    });
    outgoing.once('close', () => onward.destroy());
    onward.once('error', () => outgoing.destroy());
    onward.once('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', () => outgoing.destroy());
      response.once('end', () => {
        const answer = Buffer.concat(parts);
        if (this.#cuts({ request: asked, answer: JSON.parse(answer.toString()) as Passing['answer'] }))
          return;
        outgoing.writeHead(response.statusCode ?? 500, { 'content-type': 'application/json' });
        outgoing.end(answer);
      });
    });
    onward.end(body);
  }

  #cuts(passing: Passing): boolean {
    if (!this.cut(passing)) return false;
    this.cut = () => false;
    this.kill();
    return true;
  }

  get dropIn(): string {
    return join(this.folder, 'units/shop.service.d/candela-sdk.conf');
  }
  get state(): string {
    return join(this.folder, 'state/state.json');
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#network.listen(0, '127.0.0.1', resolve));
  }

  start(token: string): void {
    const { port } = this.#network.address() as AddressInfo;
    const child = spawn(
      process.execPath,
      [
        CLI,
        'controller',
        '--url',
        `http://127.0.0.1:${port}`,
        '--instance',
        'host-k',
        '--state',
        join(this.folder, 'state'),
        '--proc',
        join(this.folder, 'proc'),
        '--units',
        join(this.folder, 'units'),
        '--sdk',
        join(this.folder, 'sdk'),
        '--agent',
        'true',
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: '/usr/bin:/bin', CANDELA_ENROL_TOKEN: token },
      },
    );
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        this.output = (this.output + String(text)).slice(-20_000);
      });
  }
  /** Whether it runs; one that was killed has ended by then. */
  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }
  kill(): void {
    this.kills += 1;
    this.#child?.kill('SIGKILL');
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#network.closeAllConnections();
    this.#network.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
