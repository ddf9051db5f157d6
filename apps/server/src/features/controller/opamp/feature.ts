import type { FeatureParts } from '../../feature.ts';
import type { Feature } from '../../feature.ts';
import { record } from '../../audit/service.ts';
import { opampEndpoint } from './endpoint.ts';
import { createFleet } from './fleet.ts';
import { collectorDetail, collectorView, versionView } from './views.ts';

/** OpenTelemetry Collectors of others, as they report by OpAMP: a view beside the rest. */
export function fleetFeature(parts: FeatureParts) {
  const { metadata, clock, identity, logger } = parts;
  const fleet = createFleet(parts);
  const opamp = opampEndpoint({ identity, metadata, fleet, logger });
  return {
    name: 'fleet',
    endpoints: [opamp.endpoint],
    sockets: [opamp.sockets],
    stop: async () => opamp.stop(),
    handlers: {
      listCollectors: async ({ context }) => {
        const collectors = await metadata.fleet.list(context);
        const views = collectors.map(async (one) =>
          collectorView(one, await metadata.fleet.wanted(one.id), clock.now()),
        );
        return { data: await Promise.all(views) };
      },
      getCollector: async ({ context, params }) => {
        const collector = await metadata.fleet.get(context, params.id);
        return { data: collectorDetail(collector, await metadata.fleet.configs(collector.id), clock.now()) };
      },
      pushCollectorConfig: async ({ context, params, body }) => {
        const collector = await metadata.fleet.get(context, params.id);
        return { data: versionView(await fleet.change(context, collector, body)) };
      },
      rollbackCollectorConfig: async ({ context, params, body }) => {
        const collector = await metadata.fleet.get(context, params.id);
        return { data: versionView(await fleet.rollBack(context, collector, body)) };
      },
      forgetCollector: async ({ context, params }) => {
        await metadata.change(undefined, async (repositories) => {
          await repositories.fleet.remove(context, params.id);
          await record(repositories, context, {
            action: 'collector.forget',
            objectKind: 'collector',
            objectId: params.id,
          });
        });
        return { data: { id: params.id } };
      },
    },
  } satisfies Feature;
}
