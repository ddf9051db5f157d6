/**
 * Drives `POST /mcp` of a platform of its own with the protocol's own programs: the command line of the Inspector, and the
 * conformance client. They are no dependencies of this repository; put them into any folder:
 *
 *   npm install --prefix DIR @modelcontextprotocol/inspector @modelcontextprotocol/conformance
 *   node e2e/clients/src/mcp/main.ts --packages DIR
 *
 * Exit code 0: all passed; 1: something failed; 2: nothing was checked.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { NODE_BINARY, startPlatform } from '@candela/testkit';

const API_KEY = 'mcp-clients-key-0123456789';
const INSPECTOR = '@modelcontextprotocol/inspector';
const CONFORMANCE = '@modelcontextprotocol/conformance';
/** Of the conformance client's: those that need none of the tools of its own example server. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];
const LONGEST_MS = 60_000;
const run = promisify(execFile);

interface Outcome {
  readonly check: string;
  /** Undefined: it passed. */
  readonly failure: string | undefined;
}

/** File of the only or the first program of a package. */
function programOf(packages: string, name: string): string | undefined {
  const folder = join(packages, 'node_modules', name);
  if (!existsSync(join(folder, 'package.json'))) return undefined;
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  return file === undefined ? undefined : join(folder, file);
}

/** What a program prints, and how it ends; whatever it says on stderr counts too where it is not as expected. */
async function outcomeOf(
  check: string,
  program: string,
  args: readonly string[],
  fits: (output: string, succeeded: boolean) => boolean,
): Promise<Outcome> {
  try {
    const { stdout } = await run(NODE_BINARY, [program, ...args], {
      cwd: tmpdir(),
      timeout: LONGEST_MS,
      maxBuffer: 16 << 20,
    });
    return { check, failure: fits(stdout, true) ? undefined : stdout.slice(-2_000) };
  } catch (thrown) {
    const { stdout = '', stderr = '', message } = thrown as Error & { stdout?: string; stderr?: string };
    const failure = fits(stdout, false) ? undefined : [stdout, stderr, message].join('\n').slice(-3_000);
    return { check, failure };
  }
}

/** Passes requests on with a key: the conformance client sends none. `Host` and `Origin` that name this server name the other one; others go on as they came. */
async function openWithKey(target: URL): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((incoming, answer) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { host = '', origin } = incoming.headers;
    const names = [own, own.replace('127.0.0.1', 'localhost')];
    const isOwn = (name: string) => names.includes(name);
    const headers = {
      ...incoming.headers,
      host: isOwn(host) ? target.host : host,
      ...(origin !== undefined && isOwn(origin.replace('http://', '')) ? { origin: target.origin } : {}),
      authorization: `Bearer ${API_KEY}`,
    };
    const onward = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

async function checks(packages: string, http: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const inspector = programOf(packages, INSPECTOR);
  if (inspector === undefined) console.warn(`SKIPPED, the Inspector: ${INSPECTOR} is not in ${packages}.`);
  else {
    const base = ['--cli', `${http}/mcp`, '--transport', 'http'];
    const key = ['--header', `Authorization: Bearer ${API_KEY}`];
    const ask = (
      check: string,
      args: readonly string[],
      fits: (output: string, succeeded: boolean) => boolean,
    ) => outcomeOf(`Inspector: ${check}`, inspector, [...base, ...key, ...args], fits);
    const call = (tool: string, ...args: string[]) => [
      '--method',
      'tools/call',
      '--tool-name',
      tool,
      ...args.flatMap((arg) => ['--tool-arg', arg]),
    ];
    outcomes.push(
      await ask(
        'tools/list',
        ['--method', 'tools/list'],
        (said, succeeded) => succeeded && said.includes('"run_sql"'),
      ),
      await ask(
        'a call',
        call('describe', 'what=tables'),
        (said, succeeded) => succeeded && said.includes('otel_traces'),
      ),
      await ask(
        'SQL',
        call('run_sql', 'query=SELECT count() AS spans FROM otel_traces'),
        (said, succeeded) => succeeded && said.includes('spans'),
      ),
      await ask(
        'a refused statement',
        call('run_sql', "query=SELECT * FROM file('x')"),
        (said, succeeded) =>
          // The Inspector ends with an error where a tool does.
          !succeeded && /"isError": ?true/.test(said),
      ),
    );
  }
  const conformance = programOf(packages, CONFORMANCE);
  if (conformance === undefined) {
    console.warn(`SKIPPED, the conformance client: ${CONFORMANCE} is not in ${packages}.`);
  } else {
    const { url, server } = await openWithKey(new URL(http));
    for (const scenario of SCENARIOS) {
      const args = ['server', '--url', url, '--scenario', scenario];
      outcomes.push(
        await outcomeOf(`conformance: ${scenario}`, conformance, args, (_, succeeded) => succeeded),
      );
    }
    server.close();
  }
  return outcomes;
}

const { values } = parseArgs({ options: { packages: { type: 'string', default: '.' } } });
const dataDir = mkdtempSync(join(tmpdir(), 'candela-mcp-clients-'));
const platform = await startPlatform({
  dataDir,
  env: { PLATFORM_BOOTSTRAP_API_KEY: API_KEY, PLATFORM_INGEST_ANONYMOUS: 'false' },
});
try {
  const outcomes = await checks(values.packages, platform.http);
  for (const { check, failure } of outcomes) {
    console.info(`${failure === undefined ? 'passed' : 'FAILED'}  ${check}`);
    if (failure !== undefined) console.info(failure);
  }
  process.exitCode =
    outcomes.length === 0 ? 2 : outcomes.some(({ failure }) => failure !== undefined) ? 1 : 0;
} finally {
  await platform.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
