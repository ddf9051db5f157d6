import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  cluster,
  directory,
  eventually,
  fakeProcess,
  ID,
  inPod,
  lines,
  POD,
  state,
  TRAINER,
  UID,
  workloads,
} from '../fixtures/node-world.ts';

describe('processes', () => {
  it('are told by their container, and by their pod where the API server knows it', async () => {
    await fakeProcess('10', inPod(ID));
    await fakeProcess('11', '0::/system.slice/sshd.service\n');
    await fakeProcess('12', `0::/system.slice/docker-${'0f'.repeat(32)}.scope\n`);
    const server = await cluster(() => ({ items: [POD] }));
    const made = await workloads({ pods: { access: server.access } });
    expect(made.ofPid(10)).toEqual(TRAINER);
    expect(made.ofPid(11)).toBeUndefined();
    expect(made.ofPid(12)).toEqual({ 'container.id': '0f'.repeat(32) });
    expect(made.ofPid(13)).toBeUndefined();
    const query = new URL(server.asked[0]?.path ?? '', 'https://x').searchParams;
    expect(Object.fromEntries(query)).toEqual({
      fieldSelector: 'spec.nodeName=node-1',
      limit: '500',
      resourceVersion: '0',
    });
  });

  it('are told by their mounts where a namespace hides their container', async () => {
    const mounts = [
      `1 2 8:1 /var/lib/kubelet/pods/${UID}/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw`,
      `1 2 8:1 /var/lib/kubelet/pods/${UID}/containers/trainer/1a2b /dev/termination-log rw - ext4 /dev/sda1 rw`,
    ];
    await fakeProcess('self', '0::/\n', 100, mounts.join('\n'));
    const server = await cluster(() => ({ items: [POD] }));
    expect((await workloads({ pods: { access: server.access } })).ofSelf()).toEqual(TRAINER);
    expect((await workloads()).ofSelf()).toEqual({ 'k8s.pod.uid': UID, 'k8s.container.name': 'trainer' });
  });

  it('are not mistaken for earlier ones with their number', async () => {
    await fakeProcess('10', inPod(ID), 100);
    const server = await cluster(() => ({ items: [POD] }));
    const made = await workloads({ pods: { access: server.access } });
    expect(made.ofPid(10)).toEqual(TRAINER);
    await fakeProcess('10', '0::/system.slice/cron.service\n', 100);
    expect(made.ofPid(10)).toEqual(TRAINER);
    await fakeProcess('10', '0::/system.slice/cron.service\n', 200);
    expect(made.ofPid(10)).toBeUndefined();
    await rm(join(directory, 'proc/10'), { recursive: true });
    expect(made.ofPid(10)).toBeUndefined();
  });

  it('of a new pod bring the list forward, once', async () => {
    let items: unknown[] = [];
    const server = await cluster(() => ({ items }));
    const made = await workloads({ pods: { access: server.access } });
    await fakeProcess('10', inPod(ID));
    items = [POD];
    expect(made.ofPid(10)).toEqual({ 'container.id': ID, 'k8s.pod.uid': UID });
    await eventually(() => made.ofPid(10)?.['k8s.pod.name'] === 'train-0');
    const asked = server.asked.length;
    await fakeProcess('20', inPod('0'.repeat(64), '00000000-0000-0000-0000-000000000000'));
    made.ofPid(20);
    await eventually(() => server.asked.length === asked + 1);
    for (let round = 0; round < 10; round += 1) {
      made.ofPid(20);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(server.asked.length).toBe(asked + 1);
  });
});

describe('the list of pods', () => {
  it('goes on where a page ends, and with the token of the hour', async () => {
    const server = await cluster((url) =>
      url.searchParams.has('continue')
        ? { items: [POD] }
        : { items: [], metadata: { continue: 'next page/1' } },
    );
    await fakeProcess('10', inPod(ID));
    const made = await workloads({ pods: { access: server.access } });
    expect(made.ofPid(10)).toEqual(TRAINER);
    expect(server.asked[1]?.path).toContain('continue=next+page%2F1');
    expect(server.asked[1]?.path).not.toContain('resourceVersion');

    await server.rotateToken('second', true);
    await fakeProcess('20', inPod('0'.repeat(64)));
    made.ofPid(20);
    await eventually(() => server.asked.length === 4);
    expect(server.asked.map(({ token }) => token)).toEqual([
      'Bearer first-token',
      'Bearer first-token',
      'Bearer second',
      'Bearer second',
    ]);
  });

  it('that never ends is left after some pages', async () => {
    const server = await cluster(() => ({ items: [POD], metadata: { continue: 'again' } }));
    const made = await workloads({ pods: { access: server.access } });
    expect(state(made, 'pods')?.state).toBe('found');
    expect(server.asked.length).toBe(8);
  });

  it('may be refused, which costs the names and is told once', async () => {
    const server = await cluster((_, __, response) => response.writeHead(403).end());
    await fakeProcess('10', inPod(ID));
    const made = await workloads({ pods: { access: server.access } });
    expect(state(made, 'pods')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('list on pods'),
    });
    expect(made.ofPid(10)).toEqual({ 'container.id': ID, 'k8s.pod.uid': UID });
    expect(lines.filter((line) => line.includes('list on pods'))).toHaveLength(1);
  });

  it('stays known while the API server is away', async () => {
    let up = true;
    const server = await cluster((_, __, response) =>
      up ? { items: [POD] } : response.writeHead(500).end(),
    );
    await fakeProcess('10', inPod(ID));
    const made = await workloads({ pods: { access: server.access } });
    up = false;
    await fakeProcess('20', inPod('0'.repeat(64)));
    made.ofPid(20);
    await eventually(() => state(made, 'pods')?.state === 'failed');
    expect(made.ofPid(10)).toEqual(TRAINER);
    up = true;
    await eventually(() => state(made, 'pods')?.state === 'found');
  });
});

describe('what is off', () => {
  it('is not asked and says why', async () => {
    const made = await workloads();
    expect(made.report()).toEqual([
      { name: 'pod resources', state: 'off', detail: 'not asked' },
      { name: 'pods', state: 'off', detail: 'not asked' },
    ]);
  });
});
