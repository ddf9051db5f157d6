import {
  type GpuChart,
  HOST_LIMITS,
  type HostCalls,
  type HostChart,
  type HostCurves,
  type listHosts,
  type getGpu,
  type getHost,
  type ResponseOf,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { ReadStores } from '../core/stores.ts';
import { type QueryLimits, type Runner, runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { readCurves } from './curves.ts';
import { Fresh } from './fresh.ts';
import { PROCESSES, readFacts } from './facts.ts';
import { OF_GPU, readGpu } from './gpu.ts';
import { OF_HOST, readHost, resolveHost } from './host.ts';
import { readHostCalls } from './model-calls.ts';
import { isoOf } from './sources.ts';
import type { OneHost } from './one-host.ts';
import { readFigures, summariesOf } from './summary.ts';

interface OfHost {
  readonly window: Window;
  /** Its name. */
  readonly host: string;
}

/** Reads of hosts, their GPUs and processes. @throws not_found, query_too_expensive, store_unavailable */
export interface HostQueries {
  hosts(
    context: RequestContext,
    input: { readonly window: Window },
    signal?: AbortSignal,
  ): Promise<ResponseOf<typeof listHosts>['data']>;
  host(
    context: RequestContext,
    input: OfHost,
    signal?: AbortSignal,
  ): Promise<ResponseOf<typeof getHost>['data']>;
  hostCurves(
    context: RequestContext,
    input: OfHost & { readonly charts: readonly HostChart[] },
    signal?: AbortSignal,
  ): Promise<HostCurves>;
  gpu(
    context: RequestContext,
    input: OfHost & { readonly gpu: string },
    signal?: AbortSignal,
  ): Promise<ResponseOf<typeof getGpu>['data']>;
  gpuCurves(
    context: RequestContext,
    input: OfHost & { readonly gpu: string; readonly charts: readonly GpuChart[] },
    signal?: AbortSignal,
  ): Promise<HostCurves>;
  calls(context: RequestContext, input: OfHost, signal?: AbortSignal): Promise<HostCalls>;
}

export function createHostQueries(stores: ReadStores, limits: QueryLimits): HostQueries {
  const on = (signal: AbortSignal | undefined) => runner(stores, limits, 'host', signal);
  const about = ({ from, to }: Window) => ({ from: isoOf(from), to: isoOf(to) });
  const oneOf = async (
    run: Runner,
    context: RequestContext,
    window: Window,
    host: string,
    more: Pick<OneHost, 'rates' | 'increases'>,
    processes: readonly string[] = PROCESSES.metrics,
  ): Promise<OneHost> => {
    const { key, facts } = await resolveHost(run, context, host, window);
    return {
      ...more,
      key,
      facts,
      fresh: Fresh.read(run, context, window, key),
      processes: readFacts(run, context, { ...PROCESSES, metrics: processes }, window, {
        hosts: [host],
      }),
    };
  };
  return {
    async hosts(context, { window }, signal) {
      const run = on(signal);
      const figures = await readFigures(run, context, window);
      return {
        ...about(window),
        freshSeconds: HOST_LIMITS.freshSeconds,
        ...(await summariesOf(run, context, window, figures)),
      };
    },
    async host(context, { window, host }, signal) {
      const run = on(signal);
      return {
        ...about(window),
        ...(await readHost(run, context, window, await oneOf(run, context, window, host, OF_HOST))),
      };
    },
    async hostCurves(context, { window, host, charts }, signal) {
      const run = on(signal);
      return readCurves(run, context, {
        window,
        charts,
        host: (await resolveHost(run, context, host, window)).key,
      });
    },
    async gpu(context, { window, host, gpu }, signal) {
      const run = on(signal);
      const one = await oneOf(run, context, window, host, OF_GPU, ['process.gpu.memory.usage']);
      return { ...about(window), ...(await readGpu(run, context, { window, one, gpu })) };
    },
    async gpuCurves(context, { window, host, gpu, charts }, signal) {
      const run = on(signal);
      return readCurves(run, context, {
        window,
        gpu,
        charts,
        host: (await resolveHost(run, context, host, window)).key,
      });
    },
    async calls(context, { window, host }, signal) {
      const run = on(signal);
      const { key, isAlone } = await resolveHost(run, context, host, window);
      return readHostCalls(run, context, { window, host: key, isAlone });
    },
  };
}
