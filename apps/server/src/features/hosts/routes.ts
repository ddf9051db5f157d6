import type { Clock } from '@candela/kernel';
import type { HostQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { idOf } from '../activity/service.ts';
import { windowOf } from '../telemetry/service.ts';

type HostHandlers = Pick<
  Handlers,
  'listHosts' | 'getHost' | 'getHostCurves' | 'getGpu' | 'getGpuCurves' | 'getHostCalls'
>;

export function hostHandlers(queries: HostQueries, clock: Clock): HostHandlers {
  return {
    listHosts: async ({ context, query, signal }) => ({
      data: await queries.hosts(context, { window: windowOf(query, clock) }, signal),
    }),
    getHost: async ({ context, params, query, signal }) => ({
      data: await queries.host(
        context,
        { window: windowOf(query, clock), host: idOf(params.host, 'This host') },
        signal,
      ),
    }),
    getHostCurves: async ({ context, params, query, signal }) => ({
      data: await queries.hostCurves(
        context,
        { window: windowOf(query, clock), host: idOf(params.host, 'This host'), charts: query.charts },
        signal,
      ),
    }),
    getGpu: async ({ context, params, query, signal }) => ({
      data: await queries.gpu(
        context,
        {
          window: windowOf(query, clock),
          host: idOf(params.host, 'This host'),
          gpu: idOf(params.gpu, 'This GPU'),
        },
        signal,
      ),
    }),
    getGpuCurves: async ({ context, params, query, signal }) => ({
      data: await queries.gpuCurves(
        context,
        {
          window: windowOf(query, clock),
          host: idOf(params.host, 'This host'),
          gpu: idOf(params.gpu, 'This GPU'),
          charts: query.charts,
        },
        signal,
      ),
    }),
    getHostCalls: async ({ context, params, query, signal }) => ({
      data: await queries.calls(
        context,
        { window: windowOf(query, clock), host: idOf(params.host, 'This host') },
        signal,
      ),
    }),
  };
}
