import { Fields } from './body.ts';
import {
  type ControlFeatures,
  ControlError,
  type Feature,
  type GpuProfile,
  type GpuProfileRequest,
  type HighresSample,
} from './contract.ts';

export type Reply =
  | { readonly kind: 'json'; readonly value: object }
  | { readonly kind: 'text'; readonly text: string }
  /** Pieces of one JSON text: a large machine's ring is megabytes, which nobody needs in memory at once. */
  | { readonly kind: 'pieces'; readonly pieces: Iterable<string> };

export interface RouteContext {
  readonly version: string;
  readonly features: ControlFeatures;
  /** Counts a capture in `platform.collector.profile.requests`. */
  readonly countProfile: (
    type: 'intel_pt' | 'kineto_trace' | 'memory_snapshot',
    result: 'ok' | 'failed' | 'matched' | 'no_match',
  ) => void;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (
    context: RouteContext,
    body: ReadonlyMap<string, unknown>,
    signal: AbortSignal,
  ) => Reply | Promise<Reply>;
}

const isReady = (feature: Feature<unknown>): boolean => feature.state === 'ready';

function need<T>(feature: Feature<T>): T {
  if (feature.state === 'ready') return feature.service;
  throw new ControlError(503, feature.reason);
}

function* highresPieces(samples: readonly HighresSample[]): Iterable<string> {
  yield `{"count":${samples.length},"samples":[`;
  let separator = '';
  for (const sample of samples) {
    yield separator + JSON.stringify(sample);
    separator = ',';
  }
  yield ']}';
}

/** What the counters are left to a profile for, beyond its own time: programs begin when they next ask. */
const AROUND_PROFILE_SECONDS = 2;
/** For a profile of iterations, whose time nobody knows. */
const ITERATIONS_SECONDS = 60;
/** A pause that nobody ends, ends. */
const MAX_PAUSE_SECONDS = 3_600;

/** Asks for a profile; while it is taken DCGM leaves it the counters, where it has them. */
async function profileGpu(
  { features, countProfile }: RouteContext,
  request: GpuProfileRequest,
): Promise<GpuProfile> {
  const type = request.profileMemory ? 'memory_snapshot' : 'kineto_trace';
  try {
    const profile = need(features.gpuProfiler).request(request);
    const matched = profile.matchedPids.length > 0;
    const dcgm = features.dcgm();
    if (matched && dcgm.state === 'ready') {
      const seconds = profile.durationMs === undefined ? ITERATIONS_SECONDS : profile.durationMs / 1_000;
      // Where it cannot be paused the profile may lack counters of the GPU, and is a profile still.
      await dcgm.service.pause(seconds + AROUND_PROFILE_SECONDS);
    }
    countProfile(type, matched ? 'matched' : 'no_match');
    return profile;
  } catch (thrown) {
    if (!(thrown instanceof ControlError) || thrown.status >= 500) countProfile(type, 'failed');
    throw thrown;
  }
}

/** All routes of the control API. */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/status',
    handle: ({ features }) => ({
      kind: 'json',
      value: {
        status: 1,
        kineto: isReady(features.gpuProfiler),
        intel_pt: isReady(features.cpuTracer),
        highres_cpu: isReady(features.highres),
        dcgm_control: isReady(features.dcgm()),
      },
    }),
  },
  { method: 'GET', path: '/v1/version', handle: ({ version }) => ({ kind: 'text', text: version }) },
  {
    method: 'GET',
    path: '/v1/cpu/highres',
    handle: ({ features }) => ({ kind: 'pieces', pieces: highresPieces(need(features.highres).samples()) }),
  },
  {
    method: 'POST',
    path: '/v1/profile/cpu/pt',
    handle: async ({ features, countProfile }, body, signal) => {
      const fields = new Fields(body);
      const request = {
        durationMs: fields.whole('duration_ms'),
        outputDir: fields.text('output_dir'),
        cpus: fields.wholes('cpus'),
        maxCpus: fields.whole('max_cpus'),
        bufferPages: fields.whole('buffer_pages'),
      };
      fields.end();
      const tracer = need(features.cpuTracer);
      try {
        const trace = await tracer.capture(request, signal);
        countProfile('intel_pt', 'ok');
        const { outputPath, durationMs, cpus, backend } = trace;
        return {
          kind: 'json',
          value: { output_path: outputPath, duration_ms: durationMs, cpus, backend },
        };
      } catch (thrown) {
        // What was refused never ran.
        if (!(thrown instanceof ControlError) || thrown.status >= 500) countProfile('intel_pt', 'failed');
        throw thrown;
      }
    },
  },
  {
    method: 'POST',
    path: '/v1/profile/gpu',
    handle: async (context, body) => {
      const fields = new Fields(body);
      const request: GpuProfileRequest = {
        pids: fields.wholes('pids'),
        jobId: fields.whole('job_id'),
        durationMs: fields.whole('duration_ms'),
        iterations: fields.whole('iterations'),
        iterationRoundup: fields.whole('iteration_roundup'),
        startTimeMs: fields.whole('start_time_ms'),
        logFile: fields.text('log_file'),
        processLimit: fields.whole('process_limit'),
        recordShapes: fields.flag('record_shapes'),
        profileMemory: fields.flag('profile_memory'),
        withStacks: fields.flag('with_stacks'),
        withFlops: fields.flag('with_flops'),
        withModules: fields.flag('with_modules'),
      };
      fields.end();
      const { matchedPids, tracePaths, config } = await profileGpu(context, request);
      return { kind: 'json', value: { matched_pids: matchedPids, trace_paths: tracePaths, config } };
    },
  },
  {
    method: 'POST',
    path: '/v1/dcgm/pause',
    handle: async ({ features }, body) => {
      const fields = new Fields(body);
      const seconds = fields.whole('duration_s') ?? MAX_PAUSE_SECONDS;
      fields.end();
      if (seconds < 1 || seconds > MAX_PAUSE_SECONDS) {
        throw new ControlError(
          400,
          `"duration_s" takes a whole number from 1 to ${MAX_PAUSE_SECONDS}, not ${seconds}.`,
        );
      }
      const refused = await need(features.dcgm()).pause(seconds);
      if (refused !== undefined) throw new ControlError(503, `DCGM could not be paused: ${refused}.`);
      return { kind: 'json', value: { status: 'paused' } };
    },
  },
  {
    method: 'POST',
    path: '/v1/dcgm/resume',
    handle: async ({ features }, body) => {
      new Fields(body).end();
      const refused = await need(features.dcgm()).resume();
      if (refused !== undefined) throw new ControlError(503, `DCGM could not be resumed: ${refused}.`);
      return { kind: 'json', value: { status: 'resumed' } };
    },
  },
];
