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
import { type QueryLimits, runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { readCurves } from './curves.ts';
import { Fresh } from './fresh.ts';
import { readGpu } from './gpu.ts';
import { readHost, readSummary, resolveHost } from './host.ts';
import { readHostCalls } from './model-calls.ts';
import { isoOf } from './sources.ts';
import { readSummaries } from './summary.ts';

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
  const about = ({ from, to }: Window, freshSeconds: number = HOST_LIMITS.freshSeconds) => ({
    from: isoOf(from),
    to: isoOf(to),
    freshSeconds,
  });
  return {
    async hosts(context, { window }, signal) {
      const run = on(signal);
      const reading = Fresh.read(run, context, window);
      return { ...about(window), ...(await readSummaries(run, context, window, reading)) };
    },
    async host(context, { window, host }, signal) {
      const run = on(signal);
      const key = await resolveHost(run, context, host, window);
      const reading = Fresh.read(run, context, window, key);
      const detail = await readHost(run, context, window, reading, key);
      return { ...about(window, (await reading).secondsOf(key)), ...detail };
    },
    async hostCurves(context, { window, host, charts }, signal) {
      const run = on(signal);
      return readCurves(run, context, {
        window,
        charts,
        host: await resolveHost(run, context, host, window),
      });
    },
    async gpu(context, { window, host, gpu }, signal) {
      const run = on(signal);
      const key = await resolveHost(run, context, host, window);
      const reading = Fresh.read(run, context, window, key);
      const summary = await readSummary(run, context, window, reading, key);
      const fresh = await reading;
      return {
        ...about(window, fresh.secondsOf(key)),
        ...(await readGpu(run, context, { window, host: key, gpu, fresh, summary })),
      };
    },
    async gpuCurves(context, { window, host, gpu, charts }, signal) {
      const run = on(signal);
      return readCurves(run, context, {
        window,
        gpu,
        charts,
        host: await resolveHost(run, context, host, window),
      });
    },
    async calls(context, { window, host }, signal) {
      const run = on(signal);
      return readHostCalls(run, context, { window, host: await resolveHost(run, context, host, window) });
    },
  };
}
