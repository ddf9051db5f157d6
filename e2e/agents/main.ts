import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NODE_BINARY, type PlatformProcess, startPlatform } from '@candela/testkit';
import type { Sent } from './apis.ts';
import { installed, type Place, type Program, PROGRAMS, PROMPTS } from './programs.ts';
import { startVendor, type Vendor } from './vendor.ts';

const USAGE = `npm run e2e:agents [-- <agent>...] [--packages FOLDER] [--keep]

Installs real coding agents from the npm registry, lets each work against fake vendors on loopback with the hooks of
"candela coding install", and compares what the platform tells of them with what the vendors sent.

  --packages FOLDER   where the packages are installed, and stay; default: a temporary folder
  --keep              leaves the homes of the agents, to look at`;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const CLI = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
/** One turn of a program; the first start of one unpacks itself. */
const TURN_MS = 180_000;
/** The hooks' process in the background waits for nothing longer. */
const ARRIVAL_MS = 60_000;

interface Session {
  readonly sessionId: string;
  readonly model: string | null;
  readonly tokens: Sent;
  readonly toolCalls: number;
  readonly commits: number;
  readonly subagents: number;
  readonly lines: { readonly added: number; readonly removed: number };
}

const CLASSES = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const;
const sumOf = (all: readonly Sent[]): Sent =>
  Object.fromEntries(
    CLASSES.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)]),
  ) as unknown as Sent;
const shown = (sent: Sent): string => CLASSES.map((name) => `${name} ${sent[name]}`).join(', ');

/** Runs a program to its end. @returns what it printed, and its code */
function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const hear = (part: Buffer) => (output += part.toString('utf8'));
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const timer = setTimeout(() => child.kill('SIGKILL'), TURN_MS);
  const { promise, resolve: settle } = Promise.withResolvers<{ code: number | null; output: string }>();
  child.on('error', (error) => settle({ code: null, output: error.message }));
  child.on('exit', (code) => settle({ code, output }));
  return promise.finally(() => clearTimeout(timer));
}

async function sessionsOf(platform: PlatformProcess, { agent, name }: Program): Promise<Session[]> {
  const answer = await fetch(`${platform.http}/api/coding-agents/sessions/search`, {
    method: 'POST',
    body: JSON.stringify({ agent, user: `${name}@example.com`, from: '-2h', limit: 50 }),
  });
  if (!answer.ok) throw new Error(`The platform answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: Session[] }).data;
}

/** A repository with an address, which sessions are told by. */
function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('remote', 'add', 'origin', 'https://github.com/acme/app.git');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

/** Lets one program work, and says what is wrong with what the platform tells of it. */
async function tried(
  program: Program,
  platform: PlatformProcess,
  scratch: string,
  packages: string,
): Promise<string[]> {
  const home = join(scratch, program.name);
  const repository = join(home, 'app');
  makeRepository(repository);
  const vendor = await startVendor(repository);
  const place: Place = {
    home,
    repository,
    vendor: vendor.url,
    otlp: platform.otlpHttp,
    modules: join(packages, 'node_modules'),
  };
  const env = {
    HOME: home,
    PATH: `${dirname(NODE_BINARY)}:/usr/local/bin:/usr/bin:/bin`,
    TERM: 'dumb',
    ...program.env(place),
  };
  const candela = (...args: string[]) =>
    run(NODE_BINARY, [CLI, 'coding', ...args], { cwd: home, env: { HOME: home, PATH: env.PATH } });
  try {
    program.configure?.(place);
    await candela('configure', '--endpoint', platform.http, '--user', `${program.name}@example.com`);
    const wired = await candela('install', program.agent);
    if (wired.code !== 0) return [`candela coding install: ${wired.output}`];
    const problems = await turnsOf(program, place, env);
    problems.push(...(await compared(program, platform, vendor, candela)));
    if (vendor.unknown.length > 0)
      problems.push(`asked for what is not there: ${[...new Set(vendor.unknown)].join(', ')}`);
    return problems;
  } finally {
    await vendor.close();
    endDrainer(home);
  }
}

async function turnsOf(program: Program, place: Place, env: Record<string, string>): Promise<string[]> {
  const { program: file, args } = program.start(place);
  if (!existsSync(file)) return [`${file} is not in the package`];
  let last = '';
  for (const { what, args: own } of program.turns) {
    const began = performance.now();
    const { code, output } = await run(file, [...args, ...own(PROMPTS[what], last)], {
      cwd: place.repository,
      env,
    });
    say(`  ${what.padEnd(7)} ended with ${code} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    if (code !== 0) return [`the turn "${what}" ended with ${code}: ${output.slice(-1_500)}`];
    last = output;
  }
  return [];
}

/** What the platform tells beside what the vendors sent. */
async function compared(
  program: Program,
  platform: PlatformProcess,
  vendor: Vendor,
  candela: (...args: string[]) => Promise<unknown>,
): Promise<string[]> {
  const sent = sumOf(vendor.answers.filter(({ side }) => !(side && program.hidesTitles === true)));
  const differs = (told: Sent) => CLASSES.some((name) => told[name] !== sent[name]);
  let sessions: Session[] = [];
  for (const began = Date.now(); Date.now() - began < ARRIVAL_MS; await sleep(1_000)) {
    await candela('flush');
    sessions = await sessionsOf(platform, program);
    if (sessions.length > 0 && !differs(sumOf(sessions.map(({ tokens }) => tokens)))) break;
  }
  const told = sumOf(sessions.map(({ tokens }) => tokens));
  const sum = (read: (session: Session) => number) => sessions.reduce((all, one) => all + read(one), 0);
  const asksHelp = program.turns.some(({ what }) => what === 'help');
  const facts: readonly (readonly [what: string, told: number, wanted: number])[] = [
    ['sessions', sessions.length, program.sessions],
    ['commits', sum(({ commits }) => commits), 1],
    ['lines added', sum(({ lines }) => lines.added), 2],
    ['lines removed', sum(({ lines }) => lines.removed), 0],
  ];
  say(`  sent    ${vendor.answers.length} answers: ${shown(sent)}`);
  say(
    `  told    ${sessions.length} sessions: ${shown(told)}; ${sum(({ toolCalls }) => toolCalls)} tool calls, ${sum(({ commits }) => commits)} commits, ${sum(({ subagents }) => subagents)} sub-agents`,
  );
  return [
    ...(differs(told) ? [`tokens differ: sent ${shown(sent)}; told ${shown(told)}`] : []),
    ...sessions.flatMap(({ model }) =>
      model === null || model === 'unknown' ? ['a session without its model'] : [],
    ),
    ...facts.flatMap(([what, is, wanted]) => (is === wanted ? [] : [`${what}: ${is}, not ${wanted}`])),
    ...(asksHelp && sum(({ subagents }) => subagents) === 0 ? ['no sub-agent was seen'] : []),
  ];
}

/** Ends the process in the background that the hooks left; it would go on for a minute. */
function endDrainer(home: string): void {
  try {
    const [pid = ''] = readFileSync(join(home, '.local/state/candela/coding/drainer.pid'), 'utf8').split(' ');
    process.kill(Number(pid), 'SIGTERM');
  } catch {
    // It ended by itself.
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packages: { type: 'string' }, keep: { type: 'boolean' }, help: { type: 'boolean' } },
});
const unknown = positionals.filter((name) => !PROGRAMS.some(({ name: known }) => known === name));
if (values.help === true || unknown.length > 0) {
  say(unknown.length > 0 ? `There is no ${unknown.join(', ')}.\n\n${USAGE}` : USAGE);
  process.exit(unknown.length > 0 ? 2 : 0);
}
const scratch = mkdtempSync(join(tmpdir(), 'candela-agents-'));
const platform = await startPlatform({ dataDir: join(scratch, 'data') });
const results: string[] = [];
let failed = 0;
try {
  for (const program of PROGRAMS.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )) {
    say(`${program.name}: ${program.package}@${program.version}`);
    const packages = join(
      resolve(values.packages ?? join(scratch, 'packages')),
      `${program.package.replace('/', '-')}-${program.version}`,
    );
    const missing = installed(program, packages);
    if (missing !== undefined) {
      say(`  SKIPPED: ${program.package} could not be installed: ${missing}`);
      results.push(`${program.name.padEnd(22)} SKIPPED`);
      continue;
    }
    const problems = await tried(program, platform, scratch, packages);
    for (const problem of problems) say(`  WRONG: ${problem}`);
    if (problems.length > 0) failed += 1;
    results.push(`${program.name.padEnd(22)} ${problems.length === 0 ? 'ok' : `${problems.length} wrong`}`);
  }
} finally {
  await platform.stop();
  if (values.keep === true) say(`The homes are in ${scratch}`);
  else rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
say(`\n${results.join('\n')}`);
process.exitCode = failed === 0 ? 0 : 1;
