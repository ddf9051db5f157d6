import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../../config.ts';
import { FileTree } from '../../fixtures/source-run.ts';
import { createLog } from '../../log.ts';
import { ControlError, type CpuTraceRequest, type CpuTracer } from '../contract.ts';
import { serveControl } from '../server.ts';
import { MAX_KEPT } from './output.ts';
import { findPerf } from './perf.ts';
import { startCpuTracer } from './tracer.ts';

const quiet = createLog('none', () => undefined);
const trees: FileTree[] = [];
const tracers: CpuTracer[] = [];
afterEach(async () => {
  for (const tracer of tracers.splice(0)) await tracer.stop();
  for (const tree of trees.splice(0)) tree.remove();
});

/** Stands in for the tool: a program that is really run. It notes how, does what stands behind `--`, then writes. */
const GOOD = `#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$@" > "$here/args"
env > "$here/env"
while [ "$1" != "--" ]; do shift; done
shift
"$@"
echo trace > /proc/self/fd/3
`;
/** Notes its number and that of what it started, and stays until it is ended. */
const HANGS = `#!/bin/sh
here=$(dirname "$0")
sleep 1000 &
echo "$$ $!" > "$here/pids"
wait
`;
const STUBBORN = HANGS.replace('sleep', "trap '' TERM\nsleep").replace(
  '\nwait\n',
  '\nwhile :; do wait; done\n',
);
const FAILS = `#!/bin/sh\necho 'No permission to enable intel_pt// event.' >&2\nexit 255\n`;
const FLOODS = `#!/bin/sh\nexec dd if=/dev/zero of=/proc/self/fd/3 bs=65536 status=none\n`;

const INTEL = 'sys/bus/event_source/devices/intel_pt/type';

function machine(perf: string | undefined): { tree: FileTree; config: Config } {
  const tree = new FileTree()
    .directory('out')
    .directory('bin')
    .write({
      [INTEL]: 8,
      'sys/devices/system/cpu/online': '0-7\n',
    });
  trees.push(tree);
  if (perf !== undefined) writeFileSync(join(tree.path, 'bin/perf'), perf, { mode: 0o755 });
  const { config } = readConfig({
    HOST_SYS: join(tree.path, 'sys'),
    OTEL_HOST_INTEL_PT_OUTPUT_DIR: join(tree.path, 'out'),
    PATH: `relative:${join(tree.path, 'bin')}:/usr/bin:/bin`,
    OTEL_GPU_CONTROL_TOKEN: 'secret-token',
  });
  return { tree, config };
}

function tracerOf(perf: string, maxBytes?: number): { tracer: CpuTracer; tree: FileTree; config: Config } {
  const { tree, config } = machine(perf);
  const feature = startCpuTracer(config, quiet, maxBytes);
  if (feature.state !== 'ready') throw new Error(feature.reason);
  tracers.push(feature.service);
  return { tracer: feature.service, tree, config };
}

const ask = (request: Partial<CpuTraceRequest> = {}): CpuTraceRequest => ({
  durationMs: 10,
  outputDir: undefined,
  cpus: undefined,
  maxCpus: undefined,
  bufferPages: undefined,
  ...request,
});
const forever = new AbortController().signal;
const written = (tree: FileTree): string[] => readdirSync(join(tree.path, 'out'));

async function failure(promise: Promise<unknown>): Promise<ControlError> {
  const thrown = await promise.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ControlError)) throw thrown;
  return thrown;
}

async function appears(path: string): Promise<string> {
  for (let i = 0; i < 500; i += 1) {
    if (existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'))
      return readFileSync(path, 'utf8').trim();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${path} did not appear`);
}

const lives = (pid: string): boolean => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat !== '' && !/\) [ZX] /.test(stat);
};

async function allEnd(pids: readonly string[]): Promise<void> {
  for (let i = 0; i < 500 && pids.some(lives); i += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(pids.filter(lives)).toEqual([]);
}

describe.skipIf(process.platform !== 'linux')('startCpuTracer', () => {
  it('says what is missing', () => {
    const { tree, config } = machine(undefined);
    const bare = { ...config, pt: { ...config.pt, searchPath: join(tree.path, 'bin') } };
    expect(startCpuTracer(bare, quiet)).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('perf'),
    });
    writeFileSync(join(tree.path, 'bin/perf'), GOOD, { mode: 0o644 });
    expect(startCpuTracer(bare, quiet).state).toBe('unavailable');
    tree.remove('sys/bus');
    expect(startCpuTracer(config, quiet)).toMatchObject({
      reason: expect.stringContaining('Processor Trace'),
    });
  });

  it('looks for the tool in absolute directories only', () => {
    const { tree } = machine(GOOD);
    const bin = join(tree.path, 'bin');
    expect(findPerf(`:.:bin:${bin}`)).toBe(join(bin, 'perf'));
    expect(findPerf('.:bin')).toBeUndefined();
    tree.remove('bin/perf');
    tree.directory('bin/perf');
    expect(findPerf(bin)).toBeUndefined();
  });
});

describe.skipIf(process.platform !== 'linux')('capture', () => {
  it('runs the tool within the caps and keeps a file of its own', async () => {
    const { tracer, tree } = tracerOf(GOOD);
    const trace = await tracer.capture(ask({ durationMs: 20, cpus: [5, 2], bufferPages: 16 }), forever);
    expect(trace).toMatchObject({ durationMs: 20, cpus: [2, 5], backend: 'perf' });
    expect(trace.outputPath).toMatch(/\/out\/intel_pt_\d{19}_[0-9a-f]{8}\.perf\.data$/);
    expect(readFileSync(trace.outputPath, 'utf8')).toBe('trace\n');
    expect(statSync(trace.outputPath).mode & 0o777).toBe(0o600);
    const args = readFileSync(join(tree.path, 'bin/args'), 'utf8').trim().split('\n');
    expect(args.slice(args.indexOf('-e'))).toEqual([
      '-e',
      'intel_pt//',
      '-C',
      '2,5',
      '-m',
      ',16',
      '--',
      'sleep',
      '0.020',
    ]);
    const env = readFileSync(join(tree.path, 'bin/env'), 'utf8');
    expect(env).toContain('PERF_CONFIG=/dev/null');
    expect(env).not.toContain('secret-token');
    expect(env).not.toContain('HOME=');
  });

  it('refuses what is beyond the caps before anything runs', async () => {
    const { tracer, tree } = tracerOf(GOOD);
    expect((await failure(tracer.capture(ask({ durationMs: 2_001 }), forever))).status).toBe(400);
    expect(existsSync(join(tree.path, 'bin/args'))).toBe(false);
    expect(written(tree)).toEqual([]);
  });

  it('takes one trace at a time, and the next one after it', async () => {
    const { tracer, tree } = tracerOf(HANGS);
    const left = new AbortController();
    const first = failure(tracer.capture(ask(), left.signal));
    await appears(join(tree.path, 'bin/pids'));
    expect((await failure(tracer.capture(ask(), forever))).status).toBe(409);
    left.abort();
    expect((await first).status).toBe(500);
    writeFileSync(join(tree.path, 'bin/perf'), GOOD, { mode: 0o755 });
    expect((await tracer.capture(ask(), forever)).backend).toBe('perf');
  });

  it.each([
    ['the tool', HANGS],
    ['a tool that does not want to go', STUBBORN],
  ])('ends %s and what it started when the client leaves', async (_, perf) => {
    const { tracer, tree } = tracerOf(perf);
    const left = new AbortController();
    const capture = failure(tracer.capture(ask(), left.signal));
    const pids = (await appears(join(tree.path, 'bin/pids'))).split(' ');
    expect(pids.every(lives)).toBe(true);
    left.abort();
    expect((await capture).message).toContain('has left');
    await allEnd(pids);
    expect(written(tree)).toEqual([]);
  });

  it('ends the trace when the agent stops', async () => {
    const { tracer, tree } = tracerOf(HANGS);
    const capture = failure(tracer.capture(ask(), forever));
    const pids = (await appears(join(tree.path, 'bin/pids'))).split(' ');
    await tracer.stop();
    await capture;
    await allEnd(pids);
  });

  it('hands on what the tool said when it failed', async () => {
    const { tracer, tree } = tracerOf(FAILS);
    const error = await failure(tracer.capture(ask(), forever));
    expect(error.status).toBe(500);
    expect(error.message).toContain('exit status 255');
    expect(error.message).toContain('No permission');
    expect(written(tree)).toEqual([]);
    expect((await failure(tracerOf('#!/bin/sh\nexit 0\n').tracer.capture(ask(), forever))).message).toContain(
      'nothing',
    );
    expect((await failure(tracerOf('#!/no/such/shell\n').tracer.capture(ask(), forever))).status).toBe(500);
  });

  it('ends a trace that fills the disk', async () => {
    const { tracer, tree } = tracerOf(FLOODS, 1_000_000);
    expect((await failure(tracer.capture(ask(), forever))).message).toContain('grew beyond 1000000 bytes');
    expect(written(tree)).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('where traces go', () => {
  it('takes directories below the one configured, by any of their names', async () => {
    const { tracer, tree } = tracerOf(GOOD);
    tree.directory('out/sub');
    const inside = await tracer.capture(ask({ outputDir: join(tree.path, 'out/sub') }), forever);
    expect(inside.outputPath).toContain('/out/sub/intel_pt_');
    const relative = await tracer.capture(ask({ outputDir: 'sub' }), forever);
    expect(relative.outputPath).toContain('/out/sub/intel_pt_');
  });

  it('takes a link where the operator named one', async () => {
    const { tree, config } = machine(GOOD);
    tree.directory('disk/traces').link('traces', 'disk/traces');
    const outputDir = join(tree.path, 'traces');
    const feature = startCpuTracer({ ...config, pt: { ...config.pt, outputDir } }, quiet);
    if (feature.state !== 'ready') throw new Error(feature.reason);
    for (const request of [ask(), ask({ outputDir }), ask({ outputDir: join(tree.path, 'disk/traces') })]) {
      expect((await feature.service.capture(request, forever)).outputPath).toContain(
        '/disk/traces/intel_pt_',
      );
    }
  });

  it('refuses every way out of it', async () => {
    const { tracer, tree } = tracerOf(GOOD);
    tree
      .directory('elsewhere')
      .directory('out-beside')
      .link('out/link', '../elsewhere')
      .link('out/sub/up', '../..')
      .directory('out/inner')
      .link('out/inward', 'inner');
    const outside = [
      '/tmp',
      '..',
      '../elsewhere',
      '../out-beside',
      'link',
      'link/.',
      'sub/up',
      'sub/up/elsewhere',
      'none',
      'inward',
      '/proc/self/cwd',
    ];
    for (const outputDir of outside) {
      expect([outputDir, (await failure(tracer.capture(ask({ outputDir }), forever))).status]).toEqual([
        outputDir,
        400,
      ]);
    }
    expect(readdirSync(join(tree.path, 'elsewhere'))).toEqual([]);
    expect(existsSync(join(tree.path, 'bin/args'))).toBe(false);
  });

  it('does not fill the directory for ever', async () => {
    const { tracer, tree } = tracerOf(GOOD);
    tree.write(
      Object.fromEntries(
        Array.from({ length: MAX_KEPT }, (_, i) => [`out/intel_pt_${i}_0000000a.perf.data`, 'x']),
      ),
    );
    expect((await failure(tracer.capture(ask(), forever))).status).toBe(409);
  });
});

describe.skipIf(process.platform !== 'linux')('over the control API', () => {
  it('answers a trace, counts it, and ends it when the client hangs up', async () => {
    const { tracer, tree, config } = tracerOf(GOOD);
    const counted: string[] = [];
    const listening = await serveControl(
      { ...config.control, address: '127.0.0.1:0' },
      {
        version: 'test',
        features: {
          highres: { state: 'unavailable', reason: 'not here' },
          cpuTracer: { state: 'ready', service: tracer },
          gpuProfiler: { state: 'unavailable', reason: 'not here' },
          dcgm: () => ({ state: 'unavailable', reason: 'not here' }),
        },
        countProfile: (type, result) => void counted.push(`${type} ${result}`),
      },
      quiet,
    );
    try {
      const post = (body: object, signal?: AbortSignal) =>
        fetch(`${listening.url}/v1/profile/cpu/pt`, {
          method: 'POST',
          headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...(signal === undefined ? {} : { signal }),
        });
      const answer = await post({ duration_ms: 10, cpus: [1] });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ duration_ms: 10, cpus: [1], backend: 'perf' });
      expect((await post({ duration_ms: 99_999 })).status).toBe(400);
      expect((await post({ output_dir: '/etc' })).status).toBe(400);

      writeFileSync(join(tree.path, 'bin/perf'), HANGS, { mode: 0o755 });
      const client = new AbortController();
      const hanging = post({}, client.signal).catch(() => undefined);
      const pids = (await appears(join(tree.path, 'bin/pids'))).split(' ');
      client.abort();
      await hanging;
      await allEnd(pids);
      await tracer.stop();
      expect(counted).toEqual(['intel_pt ok', 'intel_pt failed']);
      expect(written(tree)).toHaveLength(1);
    } finally {
      await listening.close();
    }
  });
});
