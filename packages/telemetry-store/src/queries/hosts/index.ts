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
  const about = ({ from, to }: Window) => ({
    from: isoOf(from),
    to: isoOf(to),
    freshSeconds: HOST_LIMITS.freshSeconds,
  });
  return {
    async hosts(context, { window }, signal) {
      return { ...about(window), ...(await readSummaries(on(signal), context, window)) };
    },
    async host(context, { window, host }, signal) {
      const run = on(signal);
      const key = await resolveHost(run, context, host, window);
      return { ...about(window), ...(await readHost(run, context, window, key)) };
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
      const summary = await readSummary(run, context, window, key);
      return { ...about(window), ...(await readGpu(run, context, { window, host: key, gpu, summary })) };
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
