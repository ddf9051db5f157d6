import { fail } from '@candela/kernel';
import type { Registry } from 'prom-client';
import { header } from '../../http/header.ts';
import type { Page } from '../../http/request-handler.ts';
import type { Identity } from '../identity/service.ts';

/**
 * The platform's own figures for Prometheus: from this machine freely while nobody owns the platform, else with a key. In a browser the same
 * address is the page of the metrics that were sent here.
 */
export function metricsPage(registry: Registry, identity: Identity): Page {
  return {
    path: '/metrics',
    sharesPath: true,
    contentType: registry.contentType,
    body: () => registry.metrics(),
    async guard(request) {
      const context = await identity.authenticate({
        headers: (name) => header(request, name),
        remoteAddress: request.socket.remoteAddress ?? '',
        endpoint: 'api',
        method: request.method ?? 'GET',
      });
      if (!context.scopes.has('telemetry')) {
        throw fail('forbidden', { detail: 'This credential lacks the scope "telemetry".' });
      }
    },
  };
}
