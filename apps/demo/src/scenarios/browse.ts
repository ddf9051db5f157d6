import { SERVICES } from '../services.ts';
import { callService, query, serve } from '../web.ts';
import type { Scenario } from './scenario.ts';

const ROUTES = ['/products/{id}', '/category/{slug}', '/search', '/'] as const;

/** What a runtime writes to its error output: coloured, over several lines. */
const deprecation = (pid: number): string =>
  `\u001B[33m(node:${pid}) [DEP0169] DeprecationWarning:\u001B[39m \`url.parse()\` behavior is not standardized
    at parse (/app/node_modules/legacy-router/index.js:14:9)
Use the WHATWG URL API instead. (Use \`node --trace-deprecation ...\` to show where the warning was created)`;

/** Ordinary pages without any model: what most traffic of a real system looks like. */
export const browse: Scenario = {
  id: 'browse',
  weight: 20,
  service: SERVICES.storefront,
  create() {
    return (rec) => {
      const { random } = rec;
      const route = random.pick(ROUTES);
      serve(rec, { method: 'GET', route }, (span) => {
        const hit = random.chance(0.7);
        rec.span(
          {
            name: 'GET',
            kind: 'client',
            scope: { name: '@opentelemetry/instrumentation-redis', version: '0.57.0' },
            attributes: {
              'db.system.name': 'redis',
              'db.operation.name': 'GET',
              'server.address': 'redis.data.svc',
            },
          },
          () => rec.advance(random.latency(0.6)),
        );
        span.set({ 'cache.hit': hit });
        if (!hit) {
          query(rec, 'SELECT id, name, price FROM products WHERE category = $1 LIMIT 24', 'products', 9);
          callService(rec, SERVICES.inventory, { method: 'GET', route: '/stock' }, () =>
            query(rec, 'SELECT sku, free FROM stock WHERE sku = ANY($1)', 'stock', 3),
          );
        }
        if (random.chance(0.08)) rec.log('debug', `cache ${hit ? 'hit' : 'miss'} for ${route}`);
        if (random.chance(0.01)) rec.log('warn', deprecation(random.int(3_000, 9_000)));
        rec.measure('process.runtime.gc.pause', random.latency(1.8, 0.7), {});
      });
    };
  },
};
