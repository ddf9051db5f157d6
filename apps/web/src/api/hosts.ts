import type {
  getGpu,
  getGpuCurves,
  getHost,
  getHostCalls,
  getHostCurves,
  GpuChart,
  HostChart,
  listHosts,
  ResponseOf,
} from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { call } from './client.ts';

/** Time range and environment of what is asked for. */
export interface HostScope {
  readonly window: TimeWindow;
  readonly environment: string | undefined;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const when = ({ window }: HostScope) => `from=${iso(window.fromMs)}&to=${iso(window.toMs)}`;
export const hostPath = (host: string): string => `/api/telemetry/hosts/${entityKey(host)}`;
export const gpuPath = (host: string, gpu: string): string => `${hostPath(host)}/gpus/${entityKey(gpu)}`;
export const curvesPath = (path: string, charts: readonly string[]): string =>
  `${path}/series?charts=${charts.join(',')}`;

export const fleetQuery = (scope: HostScope) =>
  queryOptions({
    queryKey: ['fleet', scope],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof listHosts>>(`/api/telemetry/hosts?${when(scope)}`, scope, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const hostQuery = (scope: HostScope, host: string) =>
  queryOptions({
    queryKey: ['host', scope, host],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getHost>>(`${hostPath(host)}?${when(scope)}`, scope, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const hostCurvesQuery = (scope: HostScope, host: string, charts: readonly HostChart[]) =>
  queryOptions({
    queryKey: ['host-curves', scope, host, charts],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getHostCurves>>(`${curvesPath(hostPath(host), charts)}&${when(scope)}`, scope, {
        signal,
      }).then((answer) => answer.data),
  });

export const gpuQuery = (scope: HostScope, host: string, gpu: string) =>
  queryOptions({
    queryKey: ['gpu', scope, host, gpu],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getGpu>>(`${gpuPath(host, gpu)}?${when(scope)}`, scope, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const gpuCurvesQuery = (scope: HostScope, host: string, gpu: string, charts: readonly GpuChart[]) =>
  queryOptions({
    queryKey: ['gpu-curves', scope, host, gpu, charts],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getGpuCurves>>(
        `${curvesPath(gpuPath(host, gpu), charts)}&${when(scope)}`,
        scope,
        { signal },
      ).then((answer) => answer.data),
  });

export const hostCallsQuery = (scope: HostScope, host: string) =>
  queryOptions({
    queryKey: ['host-calls', scope, host],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getHostCalls>>(`${hostPath(host)}/model-calls?${when(scope)}`, scope, {
        signal,
      }).then((answer) => answer.data),
  });

/** Whether any host ever reported (within a year). Asked only where a fleet is empty. */
export const anyHostQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-host', environment],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof listHosts>>('/api/telemetry/hosts?from=-365d', { environment }, { signal }).then(
        (answer) => answer.data.hosts.length > 0,
      ),
  });
