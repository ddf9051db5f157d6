import type { GpuChart, HostChart } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { addressOf, call } from './client.ts';

/** Time range and environment of what is asked for. */
export interface HostScope {
  readonly window: TimeWindow;
  readonly environment: string | undefined;
}

const when = ({ window }: HostScope) => windowSearch(window);
const gpuParams = (host: string, gpu: string) => ({ host: entityKey(host), gpu: entityKey(gpu) });

/** Where figures of a host or GPU come from: what "Open query" shows. */
export const hostCallsPath = (host: string, query: Range): string =>
  addressOf('getHostCalls', { params: { host: entityKey(host) }, query });
export const hostCurvesPath = (host: string, chart: string, query: Range): string =>
  addressOf('getHostCurves', { params: { host: entityKey(host) }, query: { charts: chart, ...query } });
export const gpuCurvesPath = (host: string, gpu: string, chart: string, query: Range): string =>
  addressOf('getGpuCurves', { params: gpuParams(host, gpu), query: { charts: chart, ...query } });

interface Range {
  readonly from: string;
  readonly to: string;
}

export const fleetQuery = (scope: HostScope) =>
  queryOptions({
    queryKey: ['fleet', scope],
    queryFn: ({ signal }) =>
      call('listHosts', { query: when(scope), environment: scope.environment, signal }).then(
        (answer) => answer.data,
      ),
  });

export const hostQuery = (scope: HostScope, host: string) =>
  queryOptions({
    queryKey: ['host', scope, host],
    queryFn: ({ signal }) =>
      call('getHost', {
        params: { host: entityKey(host) },
        query: when(scope),
        environment: scope.environment,
        signal,
      }).then((answer) => answer.data),
  });

export const hostCurvesQuery = (scope: HostScope, host: string, charts: readonly HostChart[]) =>
  queryOptions({
    queryKey: ['host-curves', scope, host, charts],
    queryFn: ({ signal }) =>
      call('getHostCurves', {
        params: { host: entityKey(host) },
        query: { charts: charts.join(), ...when(scope) },
        environment: scope.environment,
        signal,
      }).then((answer) => answer.data),
  });

export const gpuQuery = (scope: HostScope, host: string, gpu: string) =>
  queryOptions({
    queryKey: ['gpu', scope, host, gpu],
    queryFn: ({ signal }) =>
      call('getGpu', {
        params: gpuParams(host, gpu),
        query: when(scope),
        environment: scope.environment,
        signal,
      }).then((answer) => answer.data),
  });

export const gpuCurvesQuery = (scope: HostScope, host: string, gpu: string, charts: readonly GpuChart[]) =>
  queryOptions({
    queryKey: ['gpu-curves', scope, host, gpu, charts],
    queryFn: ({ signal }) =>
      call('getGpuCurves', {
        params: gpuParams(host, gpu),
        query: { charts: charts.join(), ...when(scope) },
        environment: scope.environment,
        signal,
      }).then((answer) => answer.data),
  });

export const hostCallsQuery = (scope: HostScope, host: string) =>
  queryOptions({
    queryKey: ['host-calls', scope, host],
    queryFn: ({ signal }) =>
      call('getHostCalls', {
        params: { host: entityKey(host) },
        query: when(scope),
        environment: scope.environment,
        signal,
      }).then((answer) => answer.data),
  });

/** Whether any host ever reported (within a year). Asked only where a fleet is empty. */
export const anyHostQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-host', environment],
    queryFn: ({ signal }) =>
      call('listHosts', { query: { from: '-365d' }, environment, signal }).then(
        (answer) => answer.data.hosts.length > 0,
      ),
  });
