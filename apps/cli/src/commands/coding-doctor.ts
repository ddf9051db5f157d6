import { randomBytes } from 'node:crypto';
import { AGENTS, backlogOf, failureIn, foldersIn, isInstalled, setAsideIn } from '@candela/coding-agents';
import { CandelaError } from '@candela/kernel';
import { drainSettingsOf, ownSettingsOf, pathsOf, type targetOf } from '../coding/settings.ts';
import type { Command, World } from '../command.ts';

/** What is configured, installed and waiting. */
export const codingStatus: Command = {
  words: ['coding', 'status'],
  summary: 'Shows which coding agents are wired in and what waits to be sent',
  help: 'candela coding status',
  run: async (_args, world) => {
    await status(world);
  },
};

async function status(world: World) {
  const paths = pathsOf(world);
  const own = ownSettingsOf(world.env, paths);
  const { target } = own;
  const allowed = await drainSettingsOf(world.env, paths).catch((thrown: unknown) =>
    thrown instanceof Error ? thrown.message : String(thrown),
  );
  const { settings } = typeof allowed === 'string' ? own : allowed;
  const { files, bytes, oldestMs } = backlogOf(foldersIn(paths.state));
  world.say(
    `Platform     ${target.endpoint}, key ${target.apiKey === undefined ? 'none' : `${target.apiKey.slice(0, 4)}...`}`,
  );
  world.say(`Content      ${settings.capture}`);
  world.say(
    `Repositories ${settings.repositories.map((list) => list.join(', ')).join('; of these ') || 'all'}`,
  );
  if (typeof allowed === 'string') world.say(`Held         ${allowed}`);
  world.say(
    `Waiting      ${files} files, ${bytes} bytes${files > 0 ? `, the oldest for ${Math.round(oldestMs / 1000)} s` : ''}`,
  );
  const last = failureIn(foldersIn(paths.state));
  if (last !== undefined) world.say(`Last failure ${last.failure} (${last.at})`);
  const invalid = setAsideIn(foldersIn(paths.state));
  if (invalid > 0)
    world.say(`Set aside    ${invalid} payloads that could not be used, in ${foldersIn(paths.state).bad}`);
  for (const agent of AGENTS) {
    world.say(`${agent.title.padEnd(12)} ${isInstalled(agent, paths.home) ? 'wired in' : 'not wired in'}`);
  }
  return target;
}

const DEADLINE_MS = 10_000;

export const codingDoctor: Command = {
  words: ['coding', 'doctor'],
  summary: 'Sends a test span to the platform with your key and says what is wrong',
  help: `candela coding doctor

Shows the status, then sends one span of the service "candela-doctor", and reads it back where the key may. Ends with 1
where the platform does not take it.`,

  async run(_args, world) {
    const target = await status(world);
    const now = `${Date.now()}000000`;
    const traceId = randomBytes(16).toString('hex');
    const span = {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      name: 'candela.doctor',
      kind: 1,
      startTimeUnixNano: now,
      endTimeUnixNano: now,
    };
    const attributes = [{ key: 'service.name', value: { stringValue: 'candela-doctor' } }];
    const body = JSON.stringify({
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }],
    });
    const answer = await ask(target, '/v1/traces', body);
    if (answer.status === 401 || answer.status === 403) {
      throw new CandelaError(
        'forbidden',
        `The platform refuses the key (${answer.status}). Set one that may ingest: candela coding configure --api-key KEY.`,
      );
    }
    if (!answer.ok) throw new CandelaError('overloaded', `The platform answered ${answer.status} to a span.`);
    world.say(`The platform took the test span ${traceId}${await readBack(target, traceId)}.`);
  },
};

const READ_MS = 2_500;

/** Whether the span can be read, in words: a key of hooks may only ingest. */
async function readBack({ endpoint, apiKey }: ReturnType<typeof targetOf>, traceId: string): Promise<string> {
  const url = `${endpoint.replace(/\/+$/, '')}/api/telemetry/traces/${traceId}?limit=1`;
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const until = Date.now() + READ_MS;
  while (Date.now() < until) {
    const answer = await fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(READ_MS),
    }).catch(() => undefined);
    if (answer?.ok === true) return ' and shows it';
    if (answer?.status === 401 || answer?.status === 403)
      return '; whether it shows it, this key may not read';
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return '; it did not show it yet';
}

async function ask(
  { endpoint, apiKey }: ReturnType<typeof targetOf>,
  path: string,
  body: string,
): Promise<Response> {
  try {
    return await fetch(`${endpoint.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  } catch (thrown) {
    throw new CandelaError(
      'overloaded',
      `${endpoint} cannot be reached. Is the platform running, and is the address right? (candela coding configure --endpoint URL)`,
      { cause: thrown },
    );
  }
}
