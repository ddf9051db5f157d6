import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FoundService } from './discover.ts';
import { type Injection, planOf, type SdkPlace, writeInjection } from './inject.ts';

const SERVICE: FoundService = {
  workload: 'linux:systemd:shop.service',
  name: 'shop',
  namespace: '',
  runtime: 'node',
  vendors: [],
  exe: '/usr/bin/node',
  container: '',
  pod: '',
  unit: 'shop.service',
  evidence: [],
  packages: [],
  words: ['node', 'shop.js'],
  variables: new Map(),
  processes: [],
  firstSeen: '',
  tap: { possible: false, detail: '' },
};
const PLACE: SdkPlace = { folder: '/opt/sdk', units: '/units', out: '/out' };
const OTLP = 'http://127.0.0.1:4318';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'candela-inject-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function planned(more: Partial<FoundService>, place = PLACE): Injection {
  const plan = planOf({ ...SERVICE, ...more }, place, OTLP);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('the plan of an SDK', () => {
  it('stands beside what the program has in the same variable', () => {
    const variables = new Map([
      ['PYTHONPATH', '/srv/lib::/srv/more'],
      ['NODE_OPTIONS', '--max-old-space-size=512'],
    ] as const);
    const python = planned({ runtime: 'python', words: ['python3', 'a.py'], variables });
    expect(python.text).toContain('Environment="PYTHONPATH=/opt/sdk/python:/srv/lib::/srv/more"');
    const node = planned({ variables });
    const value = '--max-old-space-size=512 --import file:///opt/sdk/node/register.mjs';
    expect(node.text).toContain(`Environment="NODE_OPTIONS=${value}"`);
    // Started with that, it has the value, and the plan is what it was.
    expect(planned({ variables: new Map([['NODE_OPTIONS', value]]) })).toEqual(node);
  });

  it('writes nothing secret of a program down', () => {
    const variables = new Map([['NODE_OPTIONS', '--require ./a.js --db-password=hunter2']] as const);
    const plan = planOf({ ...SERVICE, variables }, PLACE, OTLP);
    expect(plan).toMatch(/^The program has a NODE_OPTIONS with something secret in it: add --import/);
    expect(plan).not.toContain('hunter2');
  });

  it.each([
    ['python3 -I app.py', false],
    ['python3 -uE app.py', false],
    ['python3 -W ignore -Ximporttime -S app.py', false],
    ['python3 app.py -E prod', true],
    ['python3 -m shop -I', true],
    ['python3 -c print(1) -S', true],
    ['python3 -uWignore app.py', true],
    ['python3', true],
  ])('of %s can be: %s', (command, can) => {
    const plan = planOf({ ...SERVICE, runtime: 'python', words: command.split(' ') }, PLACE, OTLP);
    expect(typeof plan).toBe(can ? 'object' : 'string');
  });

  it('is of the unit with its escapes, and says where the key goes', () => {
    const { path, next, text } = planned({ unit: String.raw`shop\x2dfront.service` });
    expect(path).toBe(String.raw`/units/shop\x2dfront.service.d/candela-sdk.conf`);
    expect(next).toContain(String.raw`restart 'shop\x2dfront.service'`);
    expect(text).toContain('\nEnvironmentFile=-/opt/sdk/key.env\n');
    expect(text).toContain('OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20<key>');
  });

  it('of a container keeps its dollars, and says that this host is elsewhere', () => {
    const { text, next } = planned({ workload: 'docker:shop', name: 'a$HOME' });
    expect(text).toContain('OTEL_SERVICE_NAME: "a$$HOME"');
    expect(text).toContain('      - path: "/opt/sdk/key.env"\n        required: false\n');
    expect(next).toContain(`${OTLP} is the container itself: start the controller with --otlp`);
    const pod = planned({ workload: 'k8s:default:shop:app', name: 'a$(HOME)' });
    expect(JSON.parse(pod.text)).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              { env: expect.arrayContaining([{ name: 'OTEL_SERVICE_NAME', value: 'a$$(HOME)' }]) },
            ],
          },
        },
      },
    });
  });
});

describe('what is written', () => {
  const place = (): SdkPlace => ({
    folder: join(folder, 'sdk'),
    units: join(folder, 'units'),
    out: folder,
  });

  it('may be read by the program, whatever the umask of the controller is', () => {
    const before = process.umask(0o077);
    try {
      writeInjection(planned({}, place()), place());
    } finally {
      process.umask(before);
    }
    for (const [path, mode] of [
      ['sdk', 0o755],
      ['sdk/node', 0o755],
      ['sdk/node/register.mjs', 0o644],
      ['sdk/python/sitecustomize.py', 0o644],
      ['units/shop.service.d/candela-sdk.conf', 0o644],
    ] as const)
      expect([path, statSync(join(folder, path)).mode & 0o777]).toEqual([path, mode]);
  });

  it.each([
    ['the packages of the program', true],
    ['nothing where it has none', false],
  ])('loads %s', (_what, has) => {
    const program = join(folder, 'a program');
    const sdk = join(program, 'node_modules/@opentelemetry/auto-instrumentations-node');
    mkdirSync(has ? sdk : program, { recursive: true });
    if (has) {
      writeFileSync(join(sdk, 'package.json'), '{"exports":{"./register":"./register.js"}}');
      writeFileSync(join(sdk, 'register.js'), 'console.log("registered")');
    }
    writeFileSync(join(program, 'shop.js'), 'console.log("runs")');
    writeInjection(planned({}, place()), place());
    const said = execFileSync(process.execPath, [join(program, 'shop.js')], {
      cwd: folder,
      encoding: 'utf8',
      env: { NODE_OPTIONS: `--import file://${join(folder, 'sdk/node/register.mjs')}` },
    });
    expect(said).toBe(has ? 'registered\nruns\n' : 'runs\n');
  });
});
