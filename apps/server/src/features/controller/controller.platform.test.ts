import { createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { describeFleet } from './opamp/testing/fleet-suite.ts';
import { ControllerHost, type Passing } from './testing/host.ts';

let place: Installation;
let owner: Browser;
beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
});
afterAll(() => place.close());

const enrol = async (name: string, more: object = {}) => {
  const made = await owner.call('POST', '/api/controller/tokens', { cluster: 'c1', uses: 1, ...more });
  expect(made.status).toBe(201);
  const token = String(made.data.token);
  const answer = await place.browser().call('POST', '/api/controller/enrol', { token, instance_id: name });
  expect(answer.status).toBe(201);
  const key = String(answer.data.apiKey);
  return { token, key, signingKey: String(answer.data.signingKey) };
};
const service = (more: object = {}) => ({
  service_name: 'shop',
  workload_key: 'linux:systemd:shop',
  language_runtime: 'python',
  llm_providers: ['openai'],
  pid: 42,
  tap: { possible: true, detail: 'OpenSSL 3' },
  sdk: { possible: true, detail: 'systemd drop-in' },
  instrumentation_status: 'discovered',
  ...more,
});
const poll = async (key: string, name: string, body: object = {}, wait = 0) => {
  const answer = await fetch(`${place.platform.http}/api/controller/poll?wait=${wait}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ instance_id: name, services: [service()], ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as Polled };
};
interface Polled {
  readonly config_hash: string;
  readonly config_changed: boolean;
  readonly acknowledged: readonly string[];
  readonly truncated: readonly string[];
  readonly actions: readonly {
    readonly id: string;
    readonly action_type: string;
    readonly service_key: string;
    readonly payload: string;
    readonly dry_run: boolean;
    readonly attempt: number;
    readonly expires_at: string;
    readonly signature: string;
  }[];
}
const serviceOf = async (instance: string) => {
  const { data } = await owner.call('GET', '/api/controller/catalog');
  const list = await owner.call('GET', '/api/controller/instances');
  const { id } = list.data.find((one: { name: string }) => one.name === instance);
  return data.find((one: { instanceId: string }) => one.instanceId === id);
};

describe('controllers', () => {
  it('enrol with a token once, and with none, a used one or a taken name not', async () => {
    const { token, key } = await enrol('host-a');
    expect((await poll(key, 'host-a')).status).toBe(200);
    const stranger = place.browser();
    for (const bad of [token, 'ce_made-up']) {
      const again = await stranger.call('POST', '/api/controller/enrol', {
        token: bad,
        instance_id: 'host-x',
      });
      expect(again.status).toBe(403);
    }
    const { data } = await owner.call('POST', '/api/controller/tokens', {});
    const taken = { token: data.token, instance_id: 'host-a' };
    expect((await stranger.call('POST', '/api/controller/enrol', taken)).status).toBe(409);
    await owner.call('DELETE', `/api/controller/tokens/${data.id}`);
    const ended = { token: data.token, instance_id: 'host-y' };
    expect((await stranger.call('POST', '/api/controller/enrol', ended)).status).toBe(403);
    expect((await poll(token, 'host-a')).status).toBe(401);
  });

  it('are switched while they wait, with signed actions that end once', async () => {
    const { key, signingKey } = await enrol('host-b');
    const first = await poll(key, 'host-b');
    expect(first.body).toMatchObject({ config_changed: true, actions: [] });
    const { config_hash } = first.body;
    const { id } = await serviceOf('host-b');
    const path = `/api/controller/catalog/${id}/instrument`;
    expect((await owner.call('POST', path, { reason: 'x' })).status).toBe(400);
    const unconfirmed = await owner.call('POST', path, { reason: 'see calls', content: true });
    expect(unconfirmed.status).toBe(422);
    const { browser: viewer } = await place.join(owner, 'member');
    expect((await viewer.call('POST', path, { reason: 'see calls' })).status).toBe(403);

    const waiting = poll(key, 'host-b', { config_hash }, 20);
    const clicked = await owner.call('POST', path, { reason: 'see calls' });
    expect(clicked.status).toBe(200);
    const { body } = await waiting;
    const [action] = body.actions;
    if (action === undefined) throw new Error('no action came');
    expect(action).toMatchObject({
      action_type: 'instrument',
      service_key: 'linux:systemd:shop',
      attempt: 1,
    });
    const { action_type, service_key, payload, dry_run, expires_at } = action;
    const text = [
      'candela-action-1',
      'host-b',
      action.id,
      action_type,
      service_key,
      payload,
      dry_run,
      expires_at,
    ];
    const publicKey = createPublicKey({
      key: Buffer.from(signingKey, 'base64'),
      format: 'der',
      type: 'spki',
    });
    const signature = Buffer.from(action.signature, 'base64');
    expect(verify(null, Buffer.from(JSON.stringify(text)), publicKey, signature)).toBe(true);
    text[4] = 'linux:systemd:other';
    expect(verify(null, Buffer.from(JSON.stringify(text)), publicKey, signature)).toBe(false);

    // A crash before the result: nothing while the lease holds, the same action again after it.
    expect((await poll(key, 'host-b', { config_hash })).body.actions).toEqual([]);
    place.clock.shift += 61_000;
    const again = await poll(key, 'host-b', { config_hash });
    expect(again.body.actions).toMatchObject([{ id: action.id, attempt: 2, signature: action.signature }]);
    const done = { config_hash, action_results: [{ action_id: action.id, status: 'completed' }] };
    const on = { ...done, services: [service({ instrumentation_status: 'instrumented' })] };
    expect((await poll(key, 'host-b', on)).body).toMatchObject({ acknowledged: [action.id], actions: [] });
    expect((await poll(key, 'host-b', on)).body).toMatchObject({ acknowledged: [action.id], actions: [] });
    expect(await serviceOf('host-b')).toMatchObject({ state: 'on', wanted: { reason: 'see calls' } });

    // Healed: it came back without the tap.
    place.clock.shift += 61_000;
    const healed = await poll(key, 'host-b', { config_hash });
    expect(healed.body.actions).toMatchObject([{ action_type: 'instrument' }]);
    const off = await owner.call('POST', `/api/controller/catalog/${id}/uninstrument`, { reason: 'enough' });
    expect(off.status).toBe(200);
    const last = await poll(key, 'host-b', { config_hash });
    expect(last.body.actions).toMatchObject([{ action_type: 'uninstrument' }]);
    const { data: history } = await owner.call('GET', `/api/controller/actions?serviceId=${id}`);
    expect(history.map((one: { state: string }) => one.state)).toEqual(['leased', 'superseded', 'succeeded']);
    const { data: audit } = await owner.call('GET', '/api/audit?limit=100');
    expect(audit.map((one: { action: string }) => one.action)).toEqual(
      expect.arrayContaining(['controller.instrument', 'controller.uninstrument', 'controller.enrol']),
    );
  });

  it('report too much and are heard all the same', async () => {
    const { key } = await enrol('host-c');
    const services = Array.from({ length: 700 }, (_, at) =>
      service({
        workload_key: `linux:exe:${at}`,
        service_name: 'n'.repeat(at === 0 ? 2_000 : 4),
        extra: { deep: [at] },
      }),
    );
    const odd = [null, 7, 'x', { workload_key: 5 }];
    const { status, body } = await poll(key, 'host-c', {
      services: [...odd, ...services],
      action_results: odd,
    });
    expect(status).toBe(200);
    expect(body.truncated).toEqual(expect.arrayContaining([expect.stringMatching(/^services: 500 of 704/)]));
    const { data } = await owner.call('GET', '/api/controller/instances');
    const instance = data.find((one: { name: string }) => one.name === 'host-c');
    expect(instance.services).toBe(496);
    expect(instance.truncated.length).toBeGreaterThan(0);
  });

  it('let nobody speak for another, nor after they were revoked', async () => {
    const one = await enrol('host-d');
    const two = await enrol('host-e');
    expect((await poll(one.key, 'host-d')).status).toBe(200);
    expect((await poll(two.key, 'host-d')).status).toBe(403);
    const project = await owner.call('POST', '/api/projects', { name: 'Elsewhere' });
    const projectId = String(project.data.id);
    const there = { 'x-platform-project-id': projectId };
    const { id } = await serviceOf('host-d');
    for (const [method, path, body] of [
      ['POST', `/api/controller/catalog/${id}/instrument`, { reason: 'from elsewhere' }],
      ['GET', `/api/controller/catalog/${id}/agent-instrument`, undefined],
      ['DELETE', `/api/controller/instances/${id.split('.')[0]}`, undefined],
    ] as const)
      expect((await owner.call(method, path, body, there)).status).toBe(404);
    expect((await owner.call('GET', '/api/controller/catalog', undefined, there)).data).toEqual([]);
    const instance = String(id).split('.')[0];
    expect((await owner.call('DELETE', `/api/controller/instances/${instance}`)).status).toBe(200);
    expect((await poll(one.key, 'host-d')).status).toBe(401);
    expect((await poll(two.key, 'host-d')).status).toBe(403);
  });

  it('take results and actions of their own only, whatever key and name they come with', async () => {
    const { key } = await enrol('host-f');
    const { body } = await poll(key, 'host-f');
    const { config_hash } = body;
    const { id } = await serviceOf('host-f');
    await owner.call('POST', `/api/controller/catalog/${id}/instrument`, { reason: 'see calls' });
    const project = await owner.call('POST', '/api/projects', { name: 'Foreign' });
    const there = { 'x-platform-project-id': String(project.data.id) };
    const made = await owner.call('POST', '/api/api-key', { name: 'foreign', scopes: ['controller'] }, there);
    const foreign = String(made.data.apiKey);
    const [action] = (await owner.call('GET', `/api/controller/actions?serviceId=${id}`)).data;
    const forged = { action_results: [{ action_id: action.id, status: 'failed', error: 'forged' }] };
    const elsewhere = await poll(foreign, 'host-f', forged);
    // Of that name there is another one in its own project, which is asked for nothing.
    expect(elsewhere).toMatchObject({ status: 200, body: { actions: [] } });
    const neighbour = await enrol('host-g');
    await poll(neighbour.key, 'host-g', forged);
    const own = await poll(key, 'host-f', { config_hash });
    expect(own.body.actions).toMatchObject([{ id: action.id, attempt: 1 }]);
    const { data } = await owner.call('GET', `/api/controller/actions?serviceId=${id}`);
    expect(data).toMatchObject([{ state: 'leased', error: null }]);
    // A scope that is not this one lets nobody in.
    const weak = await owner.call('POST', '/api/api-key', { name: 'weak', scopes: ['ingest'] });
    expect((await poll(String(weak.data.apiKey), 'host-f')).status).toBe(403);
    // Nobody took it for a day.
    place.clock.shift += 86_400_000 + 61_000;
    expect((await poll(key, 'host-f', { config_hash })).body.actions).not.toContainEqual(
      expect.objectContaining({ id: action.id }),
    );
    const past = await owner.call('GET', `/api/controller/actions?serviceId=${id}`);
    expect(past.data.find((one: { id: string }) => one.id === action.id)).toMatchObject({ state: 'expired' });
  });

  it('are asked anew for an SDK that they did not take in time, and not for one that a person took away', async () => {
    const { key } = await enrol('host-h');
    const report = service({ workload_key: 'linux:systemd:sdk', agent_observability_status: 'none' });
    const { config_hash } = (await poll(key, 'host-h', { services: [report] })).body;
    const ask = (more: object = {}) => poll(key, 'host-h', { config_hash, services: [report], ...more });
    const { id } = await serviceOf('host-h');
    const path = `/api/controller/catalog/${id}/agent-instrument`;
    const reason = 'trace the shop';
    expect((await owner.call('POST', path, { reason, apply: true })).status).toBe(200);
    // The host was off for two days.
    place.clock.shift += 2 * 86_400_000;
    expect((await ask()).body.actions).toEqual([]);
    const { actions } = (await ask()).body;
    expect(actions).toMatchObject([{ action_type: 'enable_sdk', dry_run: false, attempt: 1 }]);
    const history = async () => (await owner.call('GET', `/api/controller/actions?serviceId=${id}`)).data;
    expect(await history()).toMatchObject([{ state: 'leased', reason }, { state: 'expired' }]);
    const done = { action_results: [{ action_id: actions[0]?.id, status: 'completed' }] };
    expect((await ask(done)).body.actions).toEqual([]);
    place.clock.shift += 61_000;
    expect((await ask()).body.actions).toEqual([]);
    expect(await history()).toHaveLength(2);
  });

  it('killed at any point lose no action, and do none twice', async () => {
    const host = new ControllerHost(place.platform.http);
    await host.listen();
    const patience = { timeout: 30_000, interval: 25 };
    const made = await owner.call('POST', '/api/controller/tokens', { cluster: 'c1', uses: 9 });
    const token = String(made.data.token);
    const lastOf = async (id: string) =>
      (await owner.call('GET', `/api/controller/actions?serviceId=${id}`)).data[0];
    const hasActions = ({ answer }: Passing) => (answer?.actions ?? []).length > 0;
    const hasResults = ({ request }: Passing) => (request.action_results ?? []).length > 0;
    try {
      // While it enrols: the platform gave out a key that nobody got.
      host.cut = ({ answer }) => answer !== undefined;
      host.start(token);
      await expect.poll(() => host.kills, patience).toBe(1);
      await expect.poll(() => host.isRunning, patience).toBe(false);
      host.start(token);
      await expect.poll(() => serviceOf('host-k').catch(() => undefined), patience).toBeDefined();
      const { id } = await serviceOf('host-k');
      const path = `/api/controller/catalog/${id}/agent-instrument`;
      const points: readonly (readonly [string, (passing: Passing) => boolean, boolean])[] = [
        ['before the action arrives', hasActions, true],
        [
          'before its result is told',
          (passing) => passing.answer === undefined && hasResults(passing),
          false,
        ],
        [
          'before it knows that the result was taken',
          (passing) => passing.answer !== undefined && hasResults(passing),
          false,
        ],
      ];
      for (const [point, cut, undone] of points) {
        const kills = host.kills;
        host.cut = cut;
        expect((await owner.call('POST', path, { reason: point, apply: true })).status, point).toBe(200);
        await expect.poll(() => host.kills, patience).toBe(kills + 1);
        await expect.poll(() => host.isRunning, patience).toBe(false);
        expect(existsSync(host.dropIn), point).toBe(!undone);
        // Taken back by a person: what was done before the end is not done again after it.
        if (!undone) rmSync(host.dropIn);
        place.clock.shift += 61_000;
        host.start(token);
        await expect.poll(async () => (await lastOf(id)).state, patience).toBe('succeeded');
        expect(await lastOf(id), point).toMatchObject({ reason: point, attempt: undone ? 2 : 1 });
        await expect.poll(() => JSON.parse(readFileSync(host.state, 'utf8')).results, patience).toEqual([]);
        expect(existsSync(host.dropIn), point).toBe(undone);
        if (undone) rmSync(host.dropIn);
      }
      expect(JSON.parse(readFileSync(host.state, 'utf8')).done).toHaveLength(points.length);
    } finally {
      host.close();
    }
  });
});

describeFleet(() => ({ place, owner }));
