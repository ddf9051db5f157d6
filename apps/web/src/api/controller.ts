import type {
  ControllerAction,
  ControllerInstance,
  ControllerService,
  ControllerToken,
  FleetCollector,
  FleetCollectorDetail,
  RequestBodyOf,
  ROUTES,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

const AGAIN_MS = 5_000;
const SOON_MS = 700;
type Env = string | undefined;

/** Whether something that was asked for is not so yet. */
const isChanging = ({ state }: ControllerService) => state === 'switching_on' || state === 'switching_off';

export const controllersQuery = (environment: Env) =>
  queryOptions({
    queryKey: ['controllers', environment],
    queryFn: ({ signal }): Promise<ControllerInstance[]> =>
      call('listControllers', { environment, signal }).then(({ data }) => data),
    refetchInterval: AGAIN_MS,
  });

/** Services that controllers found; asked again soon while a switch is on its way. */
export const catalogueQuery = (environment: Env) =>
  queryOptions({
    queryKey: ['controller-services', environment],
    queryFn: ({ signal }): Promise<ControllerService[]> =>
      call('listCatalogue', { environment, signal }).then(({ data }) => data),
    refetchInterval: ({ state }) => (state.data?.some(isChanging) === true ? SOON_MS : AGAIN_MS),
  });

export const controllerActionsQuery = (environment: Env) =>
  queryOptions({
    queryKey: ['controller-actions', environment],
    queryFn: ({ signal }): Promise<ControllerAction[]> =>
      call('listControllerActions', { environment, signal, query: { limit: 50 } }).then(({ data }) => data),
    refetchInterval: AGAIN_MS,
  });

export const controllerTokensQuery = () =>
  queryOptions({
    queryKey: ['controller-tokens'],
    queryFn: ({ signal }): Promise<ControllerToken[]> =>
      call('listControllerTokens', { signal }).then(({ data }) => data),
  });

export const createControllerToken = (
  environment: Env,
  body: RequestBodyOf<typeof ROUTES.createControllerToken>,
) => call('createControllerToken', { environment, body });
export const revokeControllerToken = (id: string) => call('revokeControllerToken', { params: { id } });
export const revokeController = (environment: Env, id: string) =>
  call('revokeController', { environment, params: { id } });
export const instrumentService = (
  environment: Env,
  id: string,
  body: RequestBodyOf<typeof ROUTES.instrumentService>,
) => call('instrumentService', { environment, params: { id }, body });
export const uninstrumentService = (environment: Env, id: string, reason: string) =>
  call('uninstrumentService', { environment, params: { id }, body: { reason } });
export const injectSdk = (environment: Env, id: string, reason: string, apply: boolean) =>
  call('enableServiceAgent', { environment, params: { id }, body: { reason, apply } });
export const takeSdkBack = (environment: Env, id: string, reason: string) =>
  call('disableServiceAgent', { environment, params: { id }, query: { reason } });

/** OpenTelemetry Collectors that report by OpAMP. */
export const collectorsQuery = (environment: Env) =>
  queryOptions({
    queryKey: ['collectors', environment],
    queryFn: ({ signal }): Promise<FleetCollector[]> =>
      call('listCollectors', { environment, signal }).then(({ data }) => data),
    refetchInterval: AGAIN_MS,
  });
export const collectorQuery = (environment: Env, id: string) =>
  queryOptions({
    queryKey: ['collector', environment, id],
    queryFn: ({ signal }): Promise<FleetCollectorDetail> =>
      call('getCollector', { environment, signal, params: { id } }).then(({ data }) => data),
    refetchInterval: AGAIN_MS,
  });
export const pushCollectorConfig = (
  environment: Env,
  id: string,
  body: RequestBodyOf<typeof ROUTES.pushCollectorConfig>,
) => call('pushCollectorConfig', { environment, params: { id }, body });
export const rollbackCollectorConfig = (
  environment: Env,
  id: string,
  body: RequestBodyOf<typeof ROUTES.rollbackCollectorConfig>,
) => call('rollbackCollectorConfig', { environment, params: { id }, body });
