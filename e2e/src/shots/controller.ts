import { ask, OWNER } from '../people.ts';
import type { Stage } from '../stage.ts';
import { dialog } from './settings.ts';
import { PHONE, type ShotGroup } from './shot.ts';

const service = (name: string, more: object = {}) => ({
  service_name: name,
  workload_key: `linux:systemd:${name}`,
  language_runtime: 'python',
  llm_providers: ['openai'],
  hosts: ['api.openai.com'],
  pid: 42,
  tap: { possible: true, detail: 'OpenSSL 3 is loaded' },
  sdk: { possible: true, detail: 'By a drop-in of its systemd unit' },
  instrumentation_status: 'discovered',
  ...more,
});
const SERVICES = [
  service('checkout-assistant'),
  service('nightly-embedding-of-the-whole-catalogue', {
    llm_providers: [],
    packages: ['langchain-core', 'sentence-transformers'],
    workload_key: 'kubernetes:shop/nightly-embedding-of-the-whole-catalogue',
    namespace: 'shop',
    pod: 'nightly-embedding-of-the-whole-catalogue-7d9f8c6b5-x2x4q',
    tap: { possible: false, detail: 'Go programs with their own TLS are not read; use the SDK.' },
  }),
];

/** A host that has a controller, as one reports itself, and what was asked of it. */
async function seed(stage: Stage): Promise<void> {
  const { page } = await stage.open('/', { as: OWNER });
  const post = <T>(path: string, data: unknown) => ask<T>(page, stage, 'POST', path, { data });
  const name = 'ip-10-0-12-7.eu-central-1.compute.internal';
  const { token } = await post<{ token: string }>('/api/controller/tokens', { cluster: 'shop', uses: 3 });
  const enrolled = await post<{ apiKey: string }>('/api/controller/enrol', { token, instance_id: name });
  const report = async () => {
    const answer = await fetch(`${stage.platform.http}/api/controller/poll?wait=0`, {
      method: 'POST',
      headers: { authorization: `Bearer ${enrolled.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance_id: name, cluster_id: 'shop', version: '0.1.0', services: SERVICES }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.body?.cancel();
  };
  await report();
  const found = await ask<{ id: string; name: string }[]>(page, stage, 'GET', '/api/controller/catalog');
  const first = found.find((one) => one.name === 'checkout-assistant');
  if (first === undefined) throw new Error('The controller found nothing.');
  await post(`/api/controller/catalog/${first.id}/instrument`, {
    reason: 'See what it spends before the sale begins.',
  });
  await report();
  await page.context().close();
}

const READY = 'text=nightly-embedding';

/** Programs that a controller found. */
export const controllerShots: ShotGroup = {
  owned: true,
  seed,
  shots: [
    { name: 'controller', path: '/controller', ready: READY },
    { name: 'controller-phone', path: '/controller', ready: READY, size: PHONE },
    { name: 'controller-enrol', path: '/controller', ready: READY, act: dialog('Enrol a host') },
  ],
};
