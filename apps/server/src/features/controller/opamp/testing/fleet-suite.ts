import { CONFIG_MASK } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import type { Browser } from '../../../identity/testing/browser.ts';
import type { Installation } from '../../../identity/testing/installation.ts';
import { capabilities, description, effective, health, OpampAgent, remoteStatus } from './agent.ts';

const BASE = '/api/controller/collectors';
const ALL = 0x1n | 0x2n | 0x4n | 0x800n | 0x1000n;
const config = (endpoint: string) =>
  `exporters:\n  otlp_http:\n    endpoint: ${endpoint}\n    headers: {authorization: "Bearer s3cret-of-${endpoint}"}\n`;
let uids = 0;
const newUid = () => Buffer.alloc(16, ++uids);

/** Collectors of others over OpAMP, on a platform that runs. */
export function describeFleet(here: () => { readonly place: Installation; readonly owner: Browser }): void {
  describe('collectors that report by OpAMP', () => {
    const keyFor = async (scopes: readonly string[], headers: Readonly<Record<string, string>> = {}) => {
      const made = await here().owner.call('POST', '/api/api-key', { name: 'fleet', scopes }, headers);
      return { key: String(made.data.apiKey), id: String(made.data.id) };
    };
    const agent = async (key?: string) =>
      new OpampAgent(here().place.platform.http, key ?? (await keyFor(['controller'])).key, newUid());
    const listed = async (name: string) =>
      (await here().owner.call('GET', BASE)).data.find((one: { name: string }) => one.name === name);
    const detail = async (id: string) => (await here().owner.call('GET', `${BASE}/${id}`)).data;

    it('are listed with health and configuration, over HTTP, and what is left out has not changed', async () => {
      const one = await agent();
      expect(await one.post(one.message())).toMatchObject({
        status: 200,
        told: { flags: 1n, config: undefined },
      });
      const first = one.message(
        description('gateway'),
        capabilities(0x805n),
        health(false, 'no exporter'),
        effective(config('https://a')),
      );
      expect(await one.post(first)).toMatchObject({ status: 200, told: { flags: 0n } });
      const { id } = await listed('gateway');
      expect(await one.post(one.message())).toMatchObject({ told: { flags: 0n } });
      const shown = await detail(id);
      expect(shown).toMatchObject({
        name: 'gateway',
        version: '0.165.0',
        connection: 'connected',
        healthy: false,
        lastError: 'no exporter',
        acceptsConfig: false,
        parts: [{ name: 'pipeline:traces', healthy: true }],
        wanted: null,
      });
      expect(shown.effective[0].text).toContain('https://a');
      expect(JSON.stringify(shown)).not.toContain('s3cret');
      const push = { config: config('https://b'), ifHash: null, reason: 'new gateway' };
      expect((await here().owner.call('POST', `${BASE}/${id}/config`, push)).status).toBe(409);
      // A message was lost in between: everything is asked for.
      one.message();
      expect(await one.post(one.message())).toMatchObject({ told: { flags: 1n } });
    });

    it('are given a configuration at once, and the last one that worked when it fails', async () => {
      const { place, owner } = here();
      const one = await agent();
      await one.connect();
      one.send(
        one.message(description('edge'), capabilities(ALL), health(true), effective(config('https://a'))),
      );
      await expect.poll(() => one.told.length).toBe(1);
      const { id } = await listed('edge');
      const path = `${BASE}/${id}`;
      const push = (text: string, ifHash: string | null) =>
        owner.call('POST', `${path}/config`, { config: text, ifHash, reason: 'move the gateway' });
      const { browser: member } = await place.join(owner, 'member');
      const body = { config: 'a: 1', ifHash: null, reason: 'member' };
      expect((await member.call('POST', `${path}/config`, body)).status).toBe(403);
      expect((await push('no: [yaml', null)).status).toBe(422);
      expect((await push(`exporters: {x: {token: ${CONFIG_MASK}}}`, null)).status).toBe(422);

      const first = await push(config('https://good'), null);
      expect(first).toMatchObject({ status: 200, data: { version: 1, state: 'offered' } });
      await expect.poll(() => one.told.at(-1)?.config?.body).toBe(config('https://good'));
      const { hash } = first.data;
      expect(one.told.at(-1)?.config?.hash).toBe(hash);
      one.send(one.message(remoteStatus(hash, 2n)));
      one.send(one.message(remoteStatus(hash, 1n), effective(config('https://good'))));
      await expect.poll(async () => (await detail(id)).wanted.state).toBe('applied');

      // Read by two: the second one to push is told so. What is masked comes from the version before.
      const masked = (await detail(id)).effective[0].text.replace('https://good', 'https://bad');
      expect((await push(masked, null)).status).toBe(409);
      const second = await push(masked, hash);
      expect(second.data).toMatchObject({ version: 2 });
      await expect.poll(() => one.told.at(-1)?.config?.hash).toBe(second.data.hash);
      expect(one.told.at(-1)?.config?.body).toContain('Bearer s3cret-of-https://good');
      one.send(one.message(remoteStatus(second.data.hash, 3n, 'unknown exporter')));
      await expect.poll(() => one.told.at(-1)?.config?.hash).toBe(hash);
      one.send(one.message(remoteStatus(hash, 1n)));
      await expect.poll(async () => (await detail(id)).wanted.state).toBe('applied');
      expect((await detail(id)).versions).toMatchObject([
        { version: 3, rollbackOf: 1, by: 'Candela', state: 'applied', hash },
        { version: 2, state: 'failed', error: 'unknown exporter' },
        { version: 1, state: 'applied' },
      ]);
      // It fails with that one as well: nothing is pushed without a person any more.
      const again = await owner.call('POST', `${path}/rollback`, { version: 2, reason: 'try again' });
      expect(again.data).toMatchObject({ version: 4, rollbackOf: 2 });
      await expect.poll(() => one.told.at(-1)?.config?.hash).toBe(second.data.hash);
      one.send(one.message(remoteStatus(second.data.hash, 3n, 'still unknown')));
      await expect.poll(async () => (await detail(id)).wanted.state).toBe('failed');
      expect((await detail(id)).versions).toHaveLength(4);
      const { data: audit } = await owner.call('GET', '/api/audit?limit=100');
      expect(audit.map((entry: { action: string }) => entry.action)).toEqual(
        expect.arrayContaining(['collector.appear', 'collector.configure', 'collector.roll-back']),
      );
      expect(JSON.stringify(audit)).not.toContain('s3cret');
      one.send(one.message(Buffer.from([0x4a, 0x00])));
      await expect.poll(async () => (await detail(id)).connection).toBe('gone');
      one.close();
    });

    it('of a project are no other one’s, and strangers get nowhere', async () => {
      const { owner } = here();
      const mine = await agent();
      await mine.post(mine.message(description('mine'), capabilities(ALL)));
      const { id } = await listed('mine');
      const project = await owner.call('POST', '/api/projects', { name: 'Other fleet' });
      const there = { 'x-platform-project-id': String(project.data.id) };
      expect((await owner.call('GET', BASE, undefined, there)).data).toEqual([]);
      for (const [method, path, body] of [
        ['GET', `${BASE}/${id}`, undefined],
        ['POST', `${BASE}/${id}/config`, { config: 'a: 1', ifHash: null, reason: 'theirs' }],
        ['POST', `${BASE}/${id}/rollback`, { version: 1, reason: 'theirs' }],
        ['DELETE', `${BASE}/${id}`, undefined],
      ] as const)
        expect((await owner.call(method, path, body, there)).status).toBe(404);
      const message = mine.message(description('x'));
      for (const [key, status] of [
        ['', 401],
        ['nonsense', 401],
        [(await keyFor(['ingest'])).key, 403],
      ] as const) {
        const stranger = await agent(key);
        expect((await stranger.post(message)).status).toBe(status);
        await expect(stranger.connect()).rejects.toThrow(String(status));
      }
      expect((await mine.post(message, { 'content-type': 'application/json' })).status).toBe(415);
      expect((await mine.post(Buffer.alloc(8_000_000))).status).toBe(413);
      // Nonsense is answered, and the connection goes on.
      const answer = await mine.post(Buffer.from('nonsense'));
      expect(answer).toMatchObject({ status: 200, told: { error: expect.stringMatching(/./) } });
      const { key, id: keyId } = await keyFor(['controller']);
      const leaves = await agent(key);
      await leaves.connect();
      leaves.send(Buffer.from('nonsense'));
      await expect.poll(() => leaves.told.at(-1)?.error).toMatch(/./);
      await owner.call('DELETE', `/api/api-key/${keyId}`);
      leaves.send(leaves.message(description('revoked')));
      await expect.poll(() => leaves.closed).toBe(1_008);
      expect(await listed('revoked')).toBeUndefined();
      const odd = await agent();
      await odd.connect();
      odd.send(odd.message(), 7);
      await expect.poll(() => odd.closed).toBe(1_003);
      expect((await owner.call('DELETE', `${BASE}/${id}`)).status).toBe(200);
      expect(await listed('mine')).toBeUndefined();
    });
  });
}
