import { chmodSync, lstatSync, rmSync, unlinkSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { errorText, type Log } from '../../log.ts';
import {
  ControlError,
  type Feature,
  type GpuProfile,
  type GpuProfileRequest,
  type GpuProfiler,
} from '../contract.ts';
import type { DatagramSocket } from './native.ts';
import { planProfile, type ProfilePlan, tracePath } from './plan.ts';
import { contextReply, MAX_DATAGRAM_BYTES, parseDatagram, requestReply } from './protocol.ts';

/** The longest wait for a datagram: the end of the agent waits for the end of it. */
const WAIT_MS = 500;
/** After these the event loop has its turn. */
const MAX_DATAGRAMS_A_TURN = 256;
/** Programs ask every few seconds; one that was not heard of for so long is gone. */
const FORGET_MS = 120_000;
const MAX_PROGRAMS = 4_096;
/** A profile that was not fetched for so long is not given out any more. */
const PENDING_MS = 60_000;

interface Program {
  /** As the kernel here knows it; its own number when that is another namespace's. */
  readonly pid: number;
  /** As it knows itself: its trace is named so. */
  readonly ownPid: number;
  readonly pids: ReadonlySet<number>;
  readonly job: bigint;
  seenAt: number;
  pending: { readonly config: string; readonly until: number } | undefined;
}

/** Meets PyTorch programs where they look for their daemon, and tells them to profile when it is asked for. */
class Kineto implements GpuProfiler {
  readonly #socket: DatagramSocket;
  readonly #traceDir: string;
  /** By number and job. */
  readonly #programs = new Map<string, Program>();
  readonly #ended: Promise<void>;
  #stopped = false;
  readonly #leave: () => void;

  /** `leave` takes away what the socket leaves behind. */
  constructor(socket: DatagramSocket, traceDir: string, leave: () => void) {
    this.#socket = socket;
    this.#traceDir = traceDir;
    this.#leave = leave;
    this.#ended = this.#listen();
  }

  /** A program waits some tens of milliseconds for its answer, and not longer: it is given as soon as it asks. */
  async #listen(): Promise<void> {
    while (!this.#stopped) {
      await this.#socket.wait(WAIT_MS);
      if (!this.#stopped) this.#answer();
    }
    this.#socket.close();
    this.#leave();
  }

  #answer(): void {
    const now = performance.now();
    for (let count = 0; count < MAX_DATAGRAMS_A_TURN; count += 1) {
      const datagram = this.#socket.receive();
      if (datagram === undefined) break;
      const said = parseDatagram(datagram.bytes);
      if (said?.kind === 'context') {
        const known = [...this.#programs.values()].filter(({ job }) => job === said.job).length;
        this.#socket.send(datagram.from, contextReply(known + 1));
      } else if (said?.kind === 'request') {
        const program = this.#heard(said.pids, said.job, datagram.pid, now);
        const { pending } = program ?? {};
        if (program !== undefined && said.activities) program.pending = undefined;
        const config = said.activities && pending !== undefined && now < pending.until ? pending.config : '';
        this.#socket.send(datagram.from, requestReply(config));
      }
    }
    for (const [key, { seenAt }] of this.#programs) if (now - seenAt > FORGET_MS) this.#programs.delete(key);
  }

  #heard(pids: readonly number[], job: bigint, sender: number, now: number): Program | undefined {
    const ownPid = pids[0] ?? 0;
    const pid = sender > 0 ? sender : ownPid;
    const key = `${pid} ${job}`;
    const known = this.#programs.get(key);
    if (known !== undefined) {
      known.seenAt = now;
      return known;
    }
    if (this.#programs.size >= MAX_PROGRAMS) return undefined;
    const program: Program = {
      pid,
      ownPid,
      pids: new Set([pid, ...pids]),
      job,
      seenAt: now,
      pending: undefined,
    };
    this.#programs.set(key, program);
    return program;
  }

  request(request: GpuProfileRequest): GpuProfile {
    const plan = planProfile(request, this.#traceDir, Date.now());
    const matched = this.#match(plan);
    const now = performance.now();
    if (matched.some(({ pending }) => pending !== undefined && now < pending.until)) {
      throw new ControlError(409, 'A profile of one of these programs has been asked for and not begun yet.');
    }
    for (const program of matched) program.pending = { config: plan.config, until: now + PENDING_MS };
    return {
      matchedPids: matched.map(({ pid }) => pid),
      tracePaths: matched.map(({ ownPid }) => tracePath(plan.logFile, ownPid)),
      config: plan.config,
      durationMs: plan.durationMs,
    };
  }

  #match({ pids, job, processLimit }: ProfilePlan): Program[] {
    return [...this.#programs.values()]
      .filter(
        (program) => program.job === job && (pids.length === 0 || pids.some((pid) => program.pids.has(pid))),
      )
      .sort((a, b) => a.pid - b.pid)
      .slice(0, processLimit);
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#ended;
  }
}

/** Begins to listen for programs, where this system can. */
export async function startKineto(
  { gpu: { kineto } }: Pick<Config, 'gpu'>,
  log: Log,
): Promise<Feature<GpuProfiler>> {
  if (process.platform !== 'linux')
    return { state: 'unavailable', reason: 'GPU programs are profiled on Linux only.' };
  try {
    const native = await import('./native.ts');
    const isFile = !kineto.socket.startsWith('@');
    if (isFile) removeAbandoned(kineto.socket, native.isAbandoned);
    const socket = native.bindDatagramSocket(kineto.socket, MAX_DATAGRAM_BYTES);
    // Programs of other users are profiled too; all they can do is ask.
    if (isFile) chmodSync(kineto.socket, 0o666);
    const leave = () => (isFile ? rmSync(kineto.socket, { force: true }) : undefined);
    return { state: 'ready', service: new Kineto(socket, kineto.traceDir, leave) };
  } catch (thrown) {
    const inUse = thrown instanceof Error && 'inUse' in thrown && thrown.inUse === true;
    const reason = inUse
      ? `Another daemon (dynolog?) listens at ${kineto.socket}: see OTEL_GPU_KINETO_SOCKET.`
      : `The socket for GPU programs could not be opened: ${errorText(thrown)}.`;
    log.info('GPU programs cannot be profiled', { reason });
    return { state: 'unavailable', reason };
  }
}

/** Takes away the socket of an agent that ended without doing so. Whatever else lies there stays. */
function removeAbandoned(path: string, isAbandoned: (path: string) => boolean): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isSocket() === true && isAbandoned(path)) unlinkSync(path);
}
