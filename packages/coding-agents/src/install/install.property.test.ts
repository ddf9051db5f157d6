import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AGENTS } from '../agents/index.ts';
import { MalformedFile, withEntries, withoutEntries } from './edit.ts';
import { install, isInstalled, uninstall } from './install.ts';
import { lineFor } from './line.ts';

const root = mkdtempSync(join(tmpdir(), 'candela-install-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newHome = () => {
  const home = join(root, `it's a "home" ${count++}`);
  mkdirSync(home);
  return { home, state: join(home, '.local/state') };
};

const foreign = fc.record({ command: fc.string({ maxLength: 30 }), timeout: fc.nat(100) });
const config = fc
  .record({
    hooks: fc.option(
      fc.dictionary(
        fc.constantFrom('SessionStart', 'Stop', 'sessionStart', 'stop', 'x'),
        fc.array(foreign, { maxLength: 8 }),
        {
          maxKeys: 4,
        },
      ),
      { nil: undefined },
    ),
    other: fc.json(),
    name: fc.string(),
  })
  .map(({ hooks, other, name }) => ({ name, other: JSON.parse(other) as unknown, ...(hooks && { hooks }) }));
const layout = fc.record({
  bom: fc.boolean(),
  crlf: fc.boolean(),
  indent: fc.constantFrom(2, 4, '\t', 0),
  comment: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n'),
});
const file = fc.tuple(config, layout).map(([value, { bom, crlf, indent, comment, end }]) => {
  const json = JSON.stringify(value, null, indent);
  const body = comment ? `// mine, "hooks": {\n${json.replace('{', '{ /* here */')}` : json;
  const text = (crlf ? body.replaceAll('\n', '\r\n') : body) + end;
  return (bom ? '\uFEFF' : '') + text;
});

describe.each(AGENTS.map((agent) => [agent.id, agent] as const))('%s', (_id, agent) => {
  const commandIn = (state: string) =>
    lineFor(agent.id, { spool: join(state, 'spool'), drainer: ['/no de', "ma'in.ts"] });

  it('is taken out again byte for byte, and is the same when put in twice', () => {
    fc.assert(
      fc.property(file, (text) => {
        const { home, state } = newHome();
        const path = join(home, agent.install.path);
        if (agent.install.kind === 'json') {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, text, { mode: 0o640 });
        }
        install(agent, { home, state, command: commandIn(state) });
        const once = readFileSync(path, 'utf8');
        expect(isInstalled(agent, home)).toBe(true);
        install(agent, { home, state, command: commandIn(state) });
        expect(readFileSync(path, 'utf8')).toBe(once);
        if (agent.install.kind === 'json') expect(statSync(path).mode & 0o777).toBe(0o640);
        uninstall(agent, { home, state });
        expect(isInstalled(agent, home)).toBe(false);
        if (agent.install.kind === 'json') expect(readFileSync(path, 'utf8')).toBe(text);
        else expect(() => statSync(join(home, agent.install.path.split('/')[0] ?? ''))).toThrow(/ENOENT/);
      }),
      { numRuns: 40 },
    );
  });

  it('makes and removes its file and folders where there was none', () => {
    const { home, state } = newHome();
    install(agent, { home, state, command: commandIn(state) });
    uninstall(agent, { home, state });
    expect(() => statSync(join(home, agent.install.path))).toThrow(/ENOENT/);
  });

  it('a dry run shows and touches nothing', () => {
    const { home, state } = newHome();
    const { diff } = install(agent, { home, state, command: commandIn(state), dryRun: true });
    expect(diff).toContain('candela-coding');
    expect(() => statSync(join(home, agent.install.path))).toThrow(/ENOENT/);
  });
});

const claude = AGENTS[0]!;
const command = lineFor('claude-code', { spool: '/s', drainer: ['n'] });
const entries = claude.install.entries(command);

it('keeps what others changed after it was put in', () => {
  const { home, state } = newHome();
  const path = join(home, claude.install.path);
  mkdirSync(dirname(path));
  writeFileSync(path, '{\n  // mine\n  "a": 1,\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n');
  install(claude, { home, state, command });
  writeFileSync(path, readFileSync(path, 'utf8').replace('"a": 1', '"a": 2'));
  uninstall(claude, { home, state });
  expect(readFileSync(path, 'utf8')).toBe(
    '{\n  // mine\n  "a": 2,\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n',
  );
});

it('writes through a link and keeps it one', () => {
  const { home, state } = newHome();
  const path = join(home, claude.install.path);
  mkdirSync(dirname(path));
  writeFileSync(join(home, 'dotfile.json'), '{}');
  symlinkSync(join(home, 'dotfile.json'), path);
  install(claude, { home, state, command });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(home, 'dotfile.json'), 'utf8')).toContain('candela-coding');
  uninstall(claude, { home, state });
  expect(readFileSync(join(home, 'dotfile.json'), 'utf8')).toBe('{}');
});

it.each(['{', '{"hooks": 1}', '[]', '{"hooks": {"Stop": {}}}', '{"a": 1,,}', 'null x'])(
  'refuses %s, and says where',
  (text) => {
    expect(() => withEntries(text, entries)).toThrow(MalformedFile);
  },
);

it('takes only its own out', () => {
  const text = '{"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}';
  expect(JSON.parse(withoutEntries(withEntries(text, entries)))).toEqual(JSON.parse(text));
});
