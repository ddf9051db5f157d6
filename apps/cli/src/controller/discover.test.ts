import { createServer } from 'node:http';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Discovery } from './discover.ts';
import { FakeProc } from './fixtures/fake-proc.ts';
import { WorkloadNames } from './names.ts';
import { vendorOfHost, VendorAddresses } from './vendors.ts';

const ID = 'ab'.repeat(32);
const POD = '12345678-1234-1234-1234-123456789abc';

describe('programs that call models', () => {
  let proc: FakeProc;
  let vendors: VendorAddresses;
  beforeEach(async () => {
    proc = new FakeProc();
    vendors = new VendorAddresses();
    await vendors.refresh(['127.0.0.9:8443']);
  });
  afterEach(() => proc.remove());

  it('are found by connections, packages and command lines, and by nothing else', () => {
    proc.add({
      pid: 10,
      exe: '/usr/bin/python3.13',
      command: ['python3', '/srv/shop.py'],
      sockets: [77],
      connections: [
        ['0900007F', 8_443, 77],
        ['0900007F', 8_443, 78],
      ],
      cgroup: '0::/system.slice/shop.service\n',
      environment: ['OTEL_SERVICE_NAME=the shop'],
      maps: '7f00-7f01 r-xp 0 0:0 1 /usr/lib/libssl.so.3\n',
    });
    // In the same network, without the socket.
    proc.add({ pid: 11, exe: '/usr/bin/sleep', command: ['sleep', '9'] });
    proc.add({
      pid: 12,
      exe: '/usr/bin/node',
      command: ['node', 'dist/main.js'],
      cwd: '/app',
      files: ['app/node_modules/openai/package.json', 'app/node_modules/left-pad/package.json'],
    });
    proc.add({
      pid: 13,
      exe: '/usr/bin/python3.13',
      command: ['/venv/bin/python', '-m', 'worker'],
      files: ['venv/pyvenv.cfg', 'venv/lib/python3.13/site-packages/anthropic'],
    });
    // What the whole machine has says nothing of one program.
    proc.add({
      pid: 14,
      exe: '/usr/bin/python3.13',
      command: ['/usr/bin/python3', '/usr/sbin/firewalld'],
      files: ['usr/lib/python3.13/site-packages/openai'],
    });
    proc.add({ pid: 15, exe: '/opt/litellm', command: ['/opt/litellm', '--port', '4000'] });
    const discovery = new Discovery(proc.path, vendors);
    const found = discovery.look();
    expect(found.map(({ name, evidence, packages, vendors: of }) => [name, evidence, packages, of])).toEqual([
      ['the shop', ['connection'], [], ['custom']],
      ['main.js', ['package'], ['openai'], []],
      ['python3.13', ['package'], ['anthropic'], []],
      ['litellm', ['command'], [], []],
    ]);
    expect(found[0]).toMatchObject({ workload: 'linux:systemd:shop.service', tap: { possible: true } });
    expect(found[3]?.tap).toMatchObject({ possible: false, detail: expect.stringContaining('use an SDK') });
    // It stays while it lives, without a connection.
    proc.end(10);
    proc.add({ pid: 10, start: 100, exe: '/usr/bin/python3.13', command: ['python3', '/srv/shop.py'] });
    expect(discovery.look().map(({ processes }) => processes[0]?.pid)).toContain(10);
    // Another process of the same number is another program.
    proc.end(10);
    proc.add({ pid: 10, start: 101, exe: '/usr/bin/sleep', command: ['sleep', '1'] });
    expect(discovery.look().map(({ processes }) => processes[0]?.pid)).not.toContain(10);
  });

  it('are told of by the kernel before their connection is over', () => {
    proc.add({ pid: 20, exe: '/usr/bin/curl', command: ['curl', 'https://x'] });
    const discovery = new Discovery(proc.path, vendors);
    const connects = [
      { pid: 20, address: '127.0.0.9', port: 8_443 },
      { pid: 21, address: '127.0.0.9', port: 443 },
    ];
    expect(discovery.isNews(connects, new Set())).toBe(true);
    expect(discovery.isNews(connects, new Set([20]))).toBe(false);
    expect(discovery.look()).toEqual([]);
    expect(discovery.look(connects)).toMatchObject([{ name: 'curl', vendors: ['custom'] }]);
  });

  it('are 600 and strange, and none costs the others', () => {
    for (let pid = 1_000; pid < 1_600; pid += 1)
      proc.add({ pid, exe: `/opt/app-${pid}`, command: [`/opt/app-${pid}`, '--openai'] });
    proc.add({ pid: 2_000, exe: '/opt/x', command: ['openai', `\u001b]0;x\u0007${'y'.repeat(70_000)}`] });
    rmSync(join(proc.path, '1005/stat'));
    rmSync(join(proc.path, '1006/exe'));
    expect(new Discovery(proc.path, vendors).look()).toHaveLength(599);
  });

  it('have the names of their containers and pods', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      '/containers/json': [
        {
          Id: ID,
          Names: ['/shop-web-1'],
          Labels: { 'com.docker.compose.service': 'web', 'com.docker.compose.project': 'shop' },
        },
        { Id: 7 },
        null,
      ],
    };
    const server = createServer((request, response) => {
      response.end(JSON.stringify(answers[request.url ?? '']));
    });
    const socket = join(proc.path, 'docker.sock');
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    try {
      const names = new WorkloadNames({
        dockerSocket: socket,
        account: '/none',
        kubernetes: undefined,
        node: '',
      });
      await names.refresh();
      expect(names.problem).toBe('');
      proc.add({
        pid: 30,
        exe: '/usr/bin/node',
        command: ['node', 'openai.js'],
        cgroup: `0::/system.slice/docker-${ID}.scope\n`,
      });
      const [found] = new Discovery(proc.path, vendors, names).look();
      expect(found).toMatchObject({
        workload: 'docker:shop-web-1',
        name: 'web',
        namespace: 'shop',
        container: 'shop-web-1',
      });
    } finally {
      server.close();
    }
    const none = new WorkloadNames({
      dockerSocket: socket,
      account: '/none',
      kubernetes: undefined,
      node: '',
    });
    await none.refresh();
    expect(none.of(ID)).toBeUndefined();
    proc.add({
      pid: 31,
      exe: '/usr/bin/node',
      command: ['node', 'openai.js'],
      cgroup: `0::/kubepods/burstable/pod${POD}/${ID}\n`,
    });
    const pods = new Discovery(proc.path, vendors, none).look();
    expect(pods.map(({ workload }) => workload)).toContain(`k8s:${POD}:${ID.slice(0, 12)}`);
  });

  it('call vendors by name', () => {
    expect(vendorOfHost('API.openai.com')).toBe('openai');
    expect(vendorOfHost('bedrock-runtime.eu-west-3.amazonaws.com')).toBe('aws.bedrock');
    expect(vendorOfHost('mine.openai.azure.com')).toBe('azure.ai.openai');
    expect(vendorOfHost('api.openai.com.evil.example')).toBeUndefined();
  });
});
