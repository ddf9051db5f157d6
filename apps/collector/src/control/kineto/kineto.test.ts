import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { ControlError, type DcgmControl, type Feature, type GpuProfiler } from '../contract.ts';
import { serveControl } from '../server.ts';
import { startKineto } from './index.ts';
import type { DatagramSocket } from './native.ts';
import { planProfile } from './plan.ts';
import { MAX_DATAGRAM_BYTES, parseDatagram } from './protocol.ts';

const quiet = createLog('none', () => undefined);
const opened: { end: () => unknown }[] = [];
let number = 0;
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.end();
});

const ASKED = {
  pids: undefined,
  jobId: undefined,
  durationMs: undefined,
  iterations: undefined,
  iterationRoundup: undefined,
  startTimeMs: undefined,
  logFile: undefined,
  processLimit: undefined,
  recordShapes: false,
  profileMemory: false,
  withStacks: false,
  withFlops: false,
  withModules: false,
};

/** A socket that nobody else uses; a test run beside this one has its own. */
const freeName = (): string => `@candela-test-${process.pid}-${(number += 1)}`;

async function profilerAt(socket: string): Promise<Feature<GpuProfiler>> {
  const { config } = readConfig({ OTEL_GPU_KINETO_SOCKET: socket, OTEL_GPU_KINETO_TRACE_DIR: '/traces' });
  const feature = await startKineto(config, quiet);
  if (feature.state === 'ready') opened.push({ end: () => feature.service.stop() });
  return feature;
}

function service(feature: Feature<GpuProfiler>): GpuProfiler {
  if (feature.state !== 'ready') throw new Error(feature.reason);
  return feature.service;
}

/** A datagram as libkineto sends it. */
function message(type: string, job: number, first: number, pids: readonly number[]): Buffer {
  const isContext = type === 'ctxt';
  const payload = Buffer.alloc(16 + (isContext ? 0 : 4 * pids.length));
  payload.writeInt32LE(first, 0);
  payload.writeInt32LE(isContext ? (pids[0] ?? 0) : pids.length, 4);
  payload.writeBigInt64LE(BigInt(job), 8);
  if (!isContext) pids.forEach((pid, at) => payload.writeInt32LE(pid, 16 + 4 * at));
  const head = Buffer.alloc(40);
  head.writeBigUInt64LE(BigInt(payload.length), 0);
  head.write(type, 8);
  return Buffer.concat([head, payload]);
}

/** What a PyTorch program does, on a real socket. */
async function program(daemon: string, job: number, pids: readonly number[]) {
  const native = await import('./native.ts');
  const socket: DatagramSocket = native.bindDatagramSocket(freeName(), MAX_DATAGRAM_BYTES);
  opened.push({ end: () => socket.close() });
  const to = native.socketAddress(daemon);
  const ask = async (bytes: Buffer): Promise<{ type: string; payload: Buffer }> => {
    expect(socket.send(to, bytes)).toBe(true);
    let answer: Buffer | undefined;
    await expect
      .poll(
        () => {
          const datagram = socket.receive();
          if (datagram !== undefined) answer = Buffer.from(datagram.bytes);
          return answer !== undefined;
        },
        { timeout: 20_000, interval: 5 },
      )
      .toBe(true);
    const bytesOf = answer ?? Buffer.alloc(40);
    expect(bytesOf.readBigUInt64LE(0)).toBe(BigInt(bytesOf.length - 40));
    return { type: bytesOf.toString('latin1', 8, 40).split('\0', 1)[0] ?? '', payload: bytesOf.subarray(40) };
  };
  return {
    register: async () => (await ask(message('ctxt', job, 0, pids))).payload.readInt32LE(0),
    poll: async () => (await ask(message('req', job, 3, pids))).payload.toString(),
    send: (bytes: Buffer) => socket.send(to, bytes),
  };
}

describe.runIf(process.platform === 'linux')('programs that wait for a profile', () => {
  test('are found by job, told once, and named in the answer', async () => {
    const name = freeName();
    const profiler = service(await profilerAt(name));
    const [trainer, other] = [await program(name, 7, [501, 500, 1]), await program(name, 8, [601, 1])];
    expect(await trainer.register()).toBe(1);
    expect(await trainer.poll()).toBe('');
    expect(await other.poll()).toBe('');

    const profile = profiler.request({
      ...ASKED,
      jobId: 7,
      durationMs: 500,
      withStacks: true,
      logFile: 'run.json',
    });
    // The kernel says who it is; the program names its file after its own number.
    expect(profile.matchedPids).toEqual([process.pid]);
    expect(profile.tracePaths).toEqual(['/traces/run_501.json']);
    expect(() => profiler.request({ ...ASKED, jobId: 7, durationMs: 500 })).toThrow(ControlError);
    expect(await other.poll()).toBe('');
    expect(await trainer.poll()).toBe(profile.config);
    expect(profile.config.split('\n')).toEqual([
      'ACTIVITIES_LOG_FILE=/traces/run.json',
      'PROFILE_START_TIME=0',
      'ACTIVITIES_DURATION_MSECS=500',
      'PROFILE_REPORT_INPUT_SHAPES=false',
      'PROFILE_PROFILE_MEMORY=false',
      'PROFILE_WITH_STACK=true',
      'PROFILE_WITH_FLOPS=false',
      'PROFILE_WITH_MODULES=false',
      '',
    ]);
    expect(await trainer.poll()).toBe('');
    for (const pids of [[500], [501], [process.pid]]) {
      const again = profiler.request({ ...ASKED, jobId: 7, pids, iterations: 3 });
      expect(again.matchedPids).toEqual([process.pid]);
      expect(await trainer.poll()).toContain('ACTIVITIES_ITERATIONS=3');
    }
    expect(profiler.request({ ...ASKED, jobId: 7, pids: [4_711], durationMs: 5 }).matchedPids).toEqual([]);
  });

  test('nonsense on the socket is nobody’s request', async () => {
    const name = freeName();
    const profiler = service(await profilerAt(name));
    const hostile = await program(name, 0, [1]);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(39),
      Buffer.alloc(40),
      Buffer.alloc(3_000, 0xff),
      message('nope', 0, 3, [9]),
      message('req', 0, 3, []),
      message('req', 0, 3, [9]).subarray(0, 50),
    ]) {
      hostile.send(bytes);
    }
    const claim = message('req', 0, 3, [9]);
    claim.writeInt32LE(2_000_000, 44);
    hostile.send(claim);
    expect(await hostile.poll()).toBe('');
    expect(profiler.request({ ...ASKED, pids: [9], durationMs: 5 }).matchedPids).toEqual([]);
    expect(parseDatagram(Buffer.alloc(10))).toBeUndefined();
  });

  test('a second daemon is told so; an abandoned socket is taken over, a file is not', async () => {
    const name = freeName();
    await profilerAt(name);
    expect(await profilerAt(name)).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('Another daemon'),
    });

    const folder = mkdtempSync(join(tmpdir(), 'kineto-'));
    opened.push({ end: () => rmSync(folder, { recursive: true, force: true }) });
    const path = join(folder, 'dynolog');
    const { bindDatagramSocket } = await import('./native.ts');
    bindDatagramSocket(path, 100).close();
    expect(existsSync(path)).toBe(true);
    const second = service(await profilerAt(path));
    expect(statSync(path).mode & 0o777).toBe(0o666);
    expect(await (await program(path, 1, [1])).poll()).toBe('');
    await second.stop();
    expect(existsSync(path)).toBe(false);

    writeFileSync(path, 'mine');
    expect((await profilerAt(path)).state).toBe('unavailable');
    expect(existsSync(path)).toBe(true);
  });

  test('over the control API: matched or not, with DCGM out of the way for as long', async () => {
    const name = freeName();
    const gpuProfiler = await profilerAt(name);
    await (await program(name, 0, [33])).poll();
    const paused: number[] = [];
    const counted: string[] = [];
    const dcgm: DcgmControl = {
      unavailable: undefined,
      pause: async (seconds) => void paused.push(seconds),
      resume: async () => undefined,
    };
    const off = { state: 'unavailable', reason: 'not here' } as const;
    const listening = await serveControl(
      { address: '127.0.0.1:0', token: undefined, allowRemote: false },
      {
        version: 'test',
        features: {
          highres: off,
          cpuTracer: off,
          gpuProfiler,
          dcgm: () => ({ state: 'ready', service: dcgm }),
        },
        countProfile: (type, result) => void counted.push(`${type} ${result}`),
      },
      quiet,
    );
    opened.push({ end: () => listening.close() });
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${listening.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    expect(await post('/v1/profile/gpu', { duration_ms: 1_000, profile_memory: true })).toMatchObject({
      status: 200,
      body: {
        matched_pids: [process.pid],
        config: expect.stringContaining('PROFILE_MEMORY_DURATION_MSECS=1000'),
      },
    });
    expect(paused).toEqual([3]);
    expect(await post('/v1/profile/gpu', { duration_ms: 5, job_id: 99 })).toMatchObject({
      status: 200,
      body: { matched_pids: [], trace_paths: [] },
    });
    expect(counted).toEqual(['memory_snapshot matched', 'kineto_trace no_match']);
    for (const wrong of [{}, { duration_ms: 5, iterations: 5 }, { duration_ms: 'x' }, { durationms: 5 }]) {
      expect((await post('/v1/profile/gpu', wrong)).status).toBe(400);
    }
    expect(await post('/v1/dcgm/pause', { duration_s: 20 })).toEqual({
      status: 200,
      body: { status: 'paused' },
    });
    expect(await post('/v1/dcgm/resume', {})).toEqual({ status: 200, body: { status: 'resumed' } });
    expect((await post('/v1/dcgm/pause', { duration_s: 0 })).status).toBe(400);
    expect(paused).toEqual([3, 20]);
    const status: unknown = await (await fetch(`${listening.url}/v1/status`)).json();
    expect(status).toMatchObject({ kineto: true, dcgm_control: true });
  });
});

test.each([
  [{ durationMs: 0 }, 'duration_ms'],
  [{ durationMs: 600_001 }, 'duration_ms'],
  [{ iterations: 0 }, 'iterations'],
  [{ iterations: 5, profileMemory: true }, 'profile_memory'],
  [{ durationMs: 5, processLimit: 5_000 }, 'process_limit'],
  [{ durationMs: 5, logFile: '../x.json' }, 'log_file'],
  [{ durationMs: 5, logFile: '/etc/x.json' }, 'log_file'],
  [{ durationMs: 5, logFile: 'a\nACTIVITIES_DURATION_MSECS=9.json' }, 'log_file'],
  [{ durationMs: 5, logFile: 'x.txt' }, 'log_file'],
])('a request that cannot be is refused: %j', (wrong, field) => {
  expect(() => planProfile({ ...ASKED, ...wrong }, '/traces', 1)).toThrow(field);
  expect(planProfile({ ...ASKED, durationMs: 5, logFile: '/traces/x.json' }, '/traces', 1).logFile).toBe(
    '/traces/x.json',
  );
  expect(planProfile({ ...ASKED, durationMs: 5 }, '/traces', 12).logFile).toBe(
    '/traces/libkineto_trace_12.json',
  );
});
