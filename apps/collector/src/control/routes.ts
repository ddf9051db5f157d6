import { Fields } from './body.ts';
import { type ControlFeatures, ControlError, type Feature, type HighresSample } from './contract.ts';

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
    result: 'ok' | 'failed',
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

const NO_GPU_PROFILER =
  'Profiles of GPU programs are not available: this agent was built without the GPU part.';
const NO_DCGM = 'DCGM is not available: this agent was built without the GPU part.';

/** All routes of the control API. */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/status',
    handle: ({ features }) => ({
      kind: 'json',
      value: {
        status: 1,
        kineto: false,
        intel_pt: isReady(features.cpuTracer),
        highres_cpu: isReady(features.highres),
        dcgm_control: false,
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
    handle: ({ countProfile }, body) => {
      countProfile(body.get('profile_memory') === true ? 'memory_snapshot' : 'kineto_trace', 'failed');
      throw new ControlError(503, NO_GPU_PROFILER);
    },
  },
  {
    method: 'POST',
    path: '/v1/dcgm/pause',
    handle: () => {
      throw new ControlError(503, NO_DCGM);
    },
  },
  {
    method: 'POST',
    path: '/v1/dcgm/resume',
    handle: () => {
      throw new ControlError(503, NO_DCGM);
    },
  },
];
