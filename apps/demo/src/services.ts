import type { Attributes, Service } from './telemetry.ts';

const nodejs: Attributes = {
  'telemetry.sdk.language': 'nodejs',
  'telemetry.sdk.name': 'opentelemetry',
  'telemetry.sdk.version': '2.2.0',
  'process.runtime.name': 'nodejs',
  'process.runtime.version': '22.21.1',
};
const python: Attributes = {
  'telemetry.sdk.language': 'python',
  'telemetry.sdk.name': 'opentelemetry',
  'telemetry.sdk.version': '1.38.0',
  'process.runtime.name': 'cpython',
  'process.runtime.version': '3.13.9',
};

function service(
  name: string,
  version: string,
  pod: string,
  runtime: Attributes,
  environment = 'production',
  more: Attributes = {},
): Service {
  return {
    name,
    attributes: {
      'service.version': version,
      'service.namespace': 'demo',
      'service.instance.id': `${name}-${pod}`,
      'deployment.environment.name': environment,
      'host.name': `app-node-${1 + (pod.charCodeAt(pod.length - 1) % 3)}`,
      'k8s.namespace.name': 'apps',
      'k8s.pod.name': `${name}-${pod}`,
      'cloud.provider': 'aws',
      'cloud.region': 'eu-central-1',
      ...runtime,
      ...more,
    },
  };
}

/** The programs of the demo. One of them runs in another environment than production. */
export const SERVICES = {
  storefront: service('storefront', '5.14.0', '6c9f7d5b8-x2k4a', nodejs),
  checkout: service('checkout', '3.8.1', '7b64cfc9d-m81qb', nodejs),
  inventory: service('inventory', '2.2.5', '5d8b9c7f6-lw0zc', python),
  payments: service('payments', '1.19.3', '84c5f6d7b-t6rhd', nodejs),
  chat: service('support-chat', '4.3.0', '6fb7c8d94-qn5va', nodejs),
  agent: service('support-agent', '2.7.2', '79d6b5c8f-8jx2b', python),
  knowledge: service('knowledge-api', '1.12.0', '66b7d9f8c-p4wkc', python, 'production', {
    'openinference.project.name': 'knowledge',
  }),
  research: service('research-crew', '0.9.4', '5f9d8c7b6-zk3td', python),
  code: service('code-helper', '0.31.0', '74d8f9b6c-r7mea', python, 'staging'),
  digest: service('digest-worker', '1.4.1', '6d7c9b8f5-h2sqb', nodejs),
  inference: service('llm-inference', '0.11.2', '5c8d7f9b6-gpu0c', python, 'production', {
    'host.name': 'gpu-h100-01',
    'k8s.namespace.name': 'inference',
  }),
} as const satisfies Record<string, Service>;
