import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ActionParts, perform, type PolledAction } from './actions.ts';
import type { FoundService } from './discover.ts';
import { ControllerState, type Credential } from './state.ts';
import { Tap } from './tap.ts';

const platform = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const SERVICE: FoundService = {
  workload: 'linux:systemd:shop.service',
  name: 'shop',
  namespace: '',
  runtime: 'python',
  vendors: [],
  exe: '/usr/bin/python3',
  container: '',
  pod: '',
  unit: 'shop.service',
  evidence: [],
  packages: [],
  words: ['python3', 'shop.py'],
  variables: new Map(),
  processes: [],
  firstSeen: '',
  tap: { possible: false, detail: 'no TLS' },
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-actions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const dropIn = () => join(folder, 'units/shop.service.d/candela-sdk.conf');
/** As after a start: what it knows is what lies on disk. */
function started(): ActionParts {
  const state = new ControllerState(join(folder, 'state'));
  const credential: Credential = {
    url: 'http://127.0.0.1:1',
    otlp: 'http://127.0.0.1:4318',
    apiKey: 'k',
    signingKey: platform.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    instance: 'host',
    cluster: 'c',
  };
  return {
    state,
    credential,
    tap: new Tap(['false'], state.folder, credential, {}, () => undefined),
    sdk: { folder: join(folder, 'sdk'), units: join(folder, 'units'), out: state.folder },
    services: () => [SERVICE],
  };
}
function signed(
  more: Partial<PolledAction> = {},
  instance = 'host',
  key = platform.privateKey,
): PolledAction {
  const action = {
    id: 'a1',
    action_type: 'enable_sdk',
    service_key: SERVICE.workload,
    payload: '{}',
    dry_run: false,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    ...more,
  };
  const { id, action_type, service_key, payload, dry_run, expires_at } = action;
  const text = JSON.stringify([
    'candela-action-1',
    instance,
    id,
    action_type,
    service_key,
    payload,
    dry_run,
    expires_at,
  ]);
  return { ...action, signature: sign(null, Buffer.from(text), key).toString('base64') };
}

describe('actions', () => {
  it.each([
    ['of another workload than was signed', { ...signed(), service_key: 'linux:systemd:other.service' }],
    ['whose plan was made an order', { ...signed({ dry_run: true }), dry_run: false }],
    ['with more than was signed', { ...signed(), payload: '{"content":true}' }],
    ['that lives longer than was signed', { ...signed(), expires_at: '2099-01-01T00:00:00.000Z' }],
    ['for another instance', signed({}, 'other-host')],
    ['signed by somebody else', signed({}, 'host', stranger.privateKey)],
    ['without a signature', { ...signed(), signature: '' }],
    ['that expired', signed({ expires_at: new Date(Date.now() - 1).toISOString() })],
    ['whose end is no time', signed({ expires_at: 'never' })],
  ])('%s have no effect and no result', async (_what, action) => {
    const parts = started();
    expect(await perform(action, parts)).toBeUndefined();
    expect(existsSync(join(folder, 'units'))).toBe(false);
    expect(parts.state.results).toEqual([]);
    expect(parts.state.wishes.size).toBe(0);
    expect(parts.state.isDone(action.id)).toBe(false);
  });

  it('are done once, however often they come and whatever ended in between', async () => {
    const action = signed();
    const first = await perform(action, started());
    expect(first).toMatchObject({ action_id: 'a1', status: 'completed' });
    expect(readFileSync(dropIn(), 'utf8')).toContain('Environment="PYTHONPATH=');
    // A person takes it back: an answer that comes once more brings it not back.
    rmSync(dropIn());
    for (let time = 0; time < 3; time += 1) expect(await perform(action, started())).toEqual(first);
    const parts = started();
    parts.state.forget(['a1']);
    expect(await perform(action, started())).toEqual({ action_id: 'a1', status: 'completed' });
    expect(existsSync(dropIn())).toBe(false);
  });

  it('are shown before they are done', async () => {
    const plan = await perform(signed({ dry_run: true }), started());
    expect(plan?.snapshot).toMatch(/^--- \/dev\/null\n\+\+\+ .*candela-sdk\.conf\n\+# Written/);
    expect(plan?.snapshot).toContain('systemctl daemon-reload && systemctl restart shop.service');
    expect(existsSync(join(folder, 'units'))).toBe(false);
    await perform(signed({ id: 'a2' }), started());
    const off = await perform(signed({ id: 'a3', action_type: 'disable_sdk' }), started());
    expect(off?.snapshot).toContain('+++ /dev/null\n-# Written');
    expect(existsSync(dropIn())).toBe(false);
  });

  it('that cannot be done say why, and are over', async () => {
    const parts = started();
    for (const [more, error] of [
      [{ id: 'b1', action_type: 'instrument' }, 'no TLS'],
      [{ id: 'b2', action_type: 'instrument', service_key: 'gone' }, 'not running here'],
      [{ id: 'b3', action_type: 'enable_sdk', service_key: 'gone' }, 'not running here'],
      [{ id: 'b4', action_type: 'reboot' }, 'does not know reboot'],
      [{ id: 'b5', action_type: 'instrument', payload: 'no json' }, 'JSON'],
    ] as const)
      expect(await perform(signed(more), parts)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining(error),
      });
    expect(started().state.results.map(({ action_id }) => action_id)).toEqual(['b1', 'b2', 'b3', 'b4', 'b5']);
    expect(parts.state.wishes.size).toBe(0);
  });

  it('leave a state that is whole or is said to be broken', () => {
    const { state } = started();
    state.finish({ action_id: 'x', status: 'completed' }, (wishes) => wishes.set('w', { content: true }));
    // What a crash within a write leaves beside it counts for nothing.
    writeFileSync(join(state.folder, 'state.json.new'), '{"wishes":{"w');
    expect(started().state.wishes).toEqual(new Map([['w', { content: true }]]));
    writeFileSync(join(state.folder, 'state.json'), '{"wishes":{"w');
    expect(() => started()).toThrow('cannot be read');
  });
});
