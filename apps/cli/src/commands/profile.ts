import { parseArgs } from 'node:util';
import { CandelaError } from '@candela/kernel';
import { type Command, UsageError } from '../command.ts';

const PORT = 1_919;
const MAX_HOSTS = 1_024;
const MAX_DURATION_MS = 600_000;
/** What a host may take beyond the capture itself. */
const GRACE_MS = 10_000;
const MAX_ANSWER_BYTES = 1_048_576;
const PATHS = { gpu: '/v1/profile/gpu', 'cpu-pt': '/v1/profile/cpu/pt' } as const;

type Profile = keyof typeof PATHS;

interface Result {
  readonly host: string;
  readonly ok: boolean;
  readonly text: string;
}

/** Asks the agents of many hosts for a profile at once. */
export const profile: Command = {
  words: ['profile'],
  summary: 'Takes a profile on many hosts at once, through their agents',
  help: `candela profile --hosts A,B,... [--profile gpu|cpu-pt] [--duration-ms N] [--job-id N] [--port N] [--token T]

Asks the agent on each host (its control API) for a profile and prints a line a host. All are asked at once; one that does
not answer holds up none of the others. Files lie where the agents write them, on their hosts. The code is 1 when a host
failed. The agents need OTEL_GPU_CONTROL_ALLOW_REMOTE=true and a token; the connection is not encrypted.

  --hosts A,B,...    names or addresses, with a port where it is another (host:1920, [::1]:1920)
  --profile KIND     gpu: kernels of PyTorch programs (default); cpu-pt: Intel PT
  --duration-ms N    length; default 500
  --job-id N         gpu: only programs of this job of a batch system
  --port N           default ${PORT}
  --token T          default OTEL_GPU_CONTROL_TOKEN, which does not stand in the list of processes`,

  async run(args, { env, say }) {
    const options = read(args);
    const hosts = hostsOf(options.hosts, whole(options.port, '--port', 65_535) ?? PORT);
    const kind = kindOf(options.profile ?? 'gpu');
    const durationMs = whole(options['duration-ms'], '--duration-ms', MAX_DURATION_MS) ?? 500;
    const jobId = whole(options['job-id'], '--job-id', Number.MAX_SAFE_INTEGER);
    if (jobId !== undefined && kind !== 'gpu') throw new UsageError('--job-id is for --profile gpu.');
    const token = options.token ?? env['OTEL_GPU_CONTROL_TOKEN'];
    const body = JSON.stringify({
      duration_ms: durationMs,
      ...(jobId === undefined ? {} : { job_id: jobId }),
    });
    const results = await Promise.all(
      hosts.map(async (host) => {
        const result = await ask(host, kind, body, token, durationMs + GRACE_MS);
        // As they come: whoever watches need not wait for the slowest.
        say(`${result.ok ? 'ok    ' : 'failed'}  ${result.host}  ${result.text}`);
        return result;
      }),
    );
    const failed = results.filter(({ ok }) => !ok).length;
    if (failed > 0) {
      throw new CandelaError('refused', `${failed} of ${results.length} hosts gave no profile.`);
    }
  },
};

async function ask(
  host: string,
  kind: Profile,
  body: string,
  token: string | undefined,
  timeoutMs: number,
): Promise<Result> {
  try {
    const response = await fetch(`http://${host}${PATHS[kind]}`, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await bounded(response);
    if (response.ok) return { host, ok: true, text };
    return { host, ok: false, text: `${response.status}: ${messageOf(text)}` };
  } catch (thrown) {
    return { host, ok: false, text: reasonOf(thrown, timeoutMs) };
  }
}

/** The answer on one line, without control characters: it comes from another machine. */
async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('its answer is longer than any of an agent');
    parts.push(part);
  }
  return plain(Buffer.concat(parts).toString('utf8'));
}

function plain(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- these are the ones
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

function messageOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'error' in value) {
      return plain(String(value.error));
    }
  } catch {
    // Not an agent, or a proxy before it: what it said is all there is.
  }
  return text === '' ? 'no reason given. Is that the address of an agent?' : text.slice(0, 200);
}

function reasonOf(thrown: unknown, timeoutMs: number): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`;
  const { cause } = thrown;
  return cause instanceof Error && cause.message !== '' ? cause.message : thrown.message;
}

function hostsOf(given: string | undefined, port: number): string[] {
  const hosts = (given ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (hosts.length === 0) throw new UsageError('Name the hosts: --hosts a,b.');
  if (hosts.length > MAX_HOSTS) throw new UsageError(`At most ${MAX_HOSTS} hosts at once.`);
  return [...new Set(hosts)].map((host) => {
    const bare = /^[0-9a-f:]+:[0-9a-f:]*$/i.test(host) && host.split(':').length > 2 ? `[${host}]` : host;
    const address = /:\d{1,5}$/.test(bare) && !bare.endsWith(']') ? bare : `${bare}:${port}`;
    const url = URL.parse(`http://${address}`);
    if (url === null || url.pathname !== '/' || url.username !== '' || url.search !== '' || url.hash !== '') {
      throw new UsageError(`"${host}" is no host.`);
    }
    return address;
  });
}

function kindOf(given: string): Profile {
  if (given === 'gpu' || given === 'cpu-pt') return given;
  throw new UsageError('--profile takes gpu or cpu-pt.');
}

function whole(given: string | undefined, name: string, most: number): number | undefined {
  if (given === undefined) return undefined;
  const value = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (value < 1 || value > most) throw new UsageError(`${name} takes a whole number from 1 to ${most}.`);
  return value;
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        hosts: text,
        profile: text,
        'duration-ms': text,
        'job-id': text,
        port: text,
        token: text,
      },
    }).values;
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
