import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { alone } from '@candela/coding-agents';
import { runController } from './run.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-controller-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('does not start on a folder that another controller holds, and names that one', async () => {
  const options = {
    url: 'http://127.0.0.1:9',
    otlp: 'http://127.0.0.1:9',
    token: undefined,
    instance: 'host',
    folder,
    proc: folder,
    agent: ['true'],
    sdk: { folder, units: folder },
    hosts: [],
    names: { dockerSocket: '', account: '', kubernetes: undefined, node: 'host' },
    env: {},
  };
  const run = () => runController(options, () => undefined, AbortSignal.abort());
  await alone(join(folder, 'lock'), async () => {
    await expect(run()).rejects.toThrow(
      `${folder} is in use by the controller with process id ${process.pid}. Stop it, or give this one`,
    );
  });
  // It is free again, so the controller goes on to what it needs next.
  await expect(run()).rejects.toThrow('Set CANDELA_ENROL_TOKEN');
});
