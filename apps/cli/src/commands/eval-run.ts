import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Command, NotDoneError, UsageError, type World } from '../command.ts';

interface Figures {
  readonly evaluator: string;
  readonly judged: number;
  readonly of: number;
  readonly passed: number;
  readonly passRate: number | null;
}
interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly counts: { readonly total: number; readonly done: number; readonly failed: number };
  readonly costUsd: number | null;
  readonly results: readonly Figures[];
}
interface Item {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly scores: Readonly<
    Record<string, { readonly verdict: string | null; readonly state: string; readonly explanation: string }>
  >;
}

const POLL_MS = 1_000;
const PAGE = 500;

/** Runs an experiment and fails a pipeline where too little passes. */
export const evalRun: Command = {
  words: ['eval', 'run'],
  failureCode: 2,
  summary: 'Runs a dataset through a prompt and fails below a pass rate; for pipelines',
  help: `candela eval run --dataset NAME --prompt NAME --model ID --evaluators A,B [options]

Starts an experiment on the platform, waits for its end and prints a table. The address and key are PLATFORM_URL and
PLATFORM_API_KEY (scope evaluation).

  --dataset NAME        name or id
  --revision N          of the dataset; default the newest
  --prompt NAME         a managed prompt, name or id; --version V, default latest
  --template TEXT       instead of a prompt: a text with {{variables}}
  --model ID            id of a configured model
  --evaluators A,B      ids of evaluators
  --fail-under PART     0 to 1, default 1: exit code 1 where an evaluator passes less of what it judged
  --allow-uncalibrated  judges that people did not agree with on 50 spans (kappa 0.6) may decide all the same
  --allow-unjudged      items that failed, were skipped or not judged do not fail the run
  --cap-usd N           stops paying there
  --junit FILE          a test case an item and evaluator
  --timeout-s N         default 1800

Exit codes: 0 enough passed, 1 too little, 2 it could not be done.`,

  async run(args, world) {
    const options = read(args);
    const failUnder = number(options['fail-under'] ?? '1', '--fail-under');
    if (failUnder > 1) throw new UsageError('--fail-under is a part, from 0 to 1.');
    const ask = asker(world.env);
    const evaluators = (options.evaluators ?? '')
      .split(',')
      .flatMap((id) => (id.trim() === '' ? [] : [id.trim()]));
    if (evaluators.length === 0) throw new UsageError('Name evaluators: --evaluators A,B.');
    const { dataset, model: modelId, prompt, template } = options;
    if (
      dataset === undefined ||
      modelId === undefined ||
      (prompt === undefined) === (template === undefined)
    ) {
      throw new UsageError('Name --dataset, --model, and either --prompt or --template.');
    }
    for (const line of await checkCalibration(ask, evaluators, options['allow-uncalibrated'] === true))
      world.say(line);
    const made = (await ask('POST', '/api/evaluation/experiments', {
      dataset,
      evaluators,
      ...(options.revision === undefined ? {} : { revision: number(options.revision, '--revision') }),
      capUsd: options['cap-usd'] === undefined ? null : number(options['cap-usd'], '--cap-usd'),
      target:
        template === undefined
          ? { kind: 'prompt', prompt, version: options.version ?? 'latest', modelId }
          : { kind: 'template', text: template, modelId },
    })) as { data: Experiment };
    const path = `/api/evaluation/experiments/${encodeURIComponent(made.data.id)}`;
    const ended = await waitFor(ask, path, number(options['timeout-s'] ?? '1800', '--timeout-s') * 1_000);
    const items: Item[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page = (await ask(
        'GET',
        `${path}/items?limit=${PAGE}${cursor === null ? '' : `&cursor=${cursor}`}`,
      )) as { data: Item[]; nextCursor: string | null };
      items.push(...page.data);
      cursor = page.nextCursor;
    }
    if (options.junit !== undefined) {
      writeFileSync(resolve(world.cwd, options.junit), junitOf(ended, items, evaluators));
    }
    for (const line of tableOf(ended, failUnder)) world.say(line);
    const isWhole =
      options['allow-unjudged'] === true || ended.results.every(({ judged, of }) => judged === of);
    return isWhole && ended.results.every(({ passRate }) => passRate !== null && passRate >= failUnder)
      ? 0
      : 1;
  },
};

type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

function asker(env: World['env']): Ask {
  const url = env['PLATFORM_URL'];
  const key = env['PLATFORM_API_KEY'];
  if (url === undefined || key === undefined) throw new UsageError('Set PLATFORM_URL and PLATFORM_API_KEY.');
  return async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { err?: string };
    if (!response.ok) throw new NotDoneError(answer.err ?? `The platform answered ${response.status}.`);
    return answer;
  };
}

/**
 * A judge decides over a pipeline only where people agree with it; asked before anything is paid. Returns what is said where
 * others are allowed. @throws UsageError
 */
async function checkCalibration(
  ask: Ask,
  evaluators: readonly string[],
  allowed: boolean,
): Promise<readonly string[]> {
  const { data } = (await ask('GET', '/api/evaluation/evaluators')) as {
    data: readonly { readonly id: string; readonly kind: string }[];
  };
  const judges = data.filter(({ id, kind }) => kind === 'judge' && evaluators.includes(id));
  const missing: string[] = [];
  for (const { id } of judges) {
    const path = `/api/evaluation/agreement?from=-90d&name=${encodeURIComponent(id)}`;
    const { data: agreement } = (await ask('GET', path)) as {
      data: { readonly pairs: number; readonly kappa: number | null; readonly calibrated: boolean };
    };
    if (agreement.calibrated) continue;
    const kappa = agreement.kappa === null ? 'undefined' : agreement.kappa.toFixed(2);
    missing.push(
      `${id} is not calibrated: ${agreement.pairs} of 50 spans labelled by people too, kappa ${kappa} of 0.6.`,
    );
  }
  if (missing.length > 0 && !allowed) {
    throw new NotDoneError(
      `${missing.join(' ')} Label spans in an annotation queue, or give --allow-uncalibrated.`,
    );
  }
  return missing.map((one) => `warning: ${one} Allowed by --allow-uncalibrated.`);
}

async function waitFor(ask: Ask, path: string, withinMs: number): Promise<Experiment> {
  const until = performance.now() + withinMs;
  for (;;) {
    const { data } = (await ask('GET', path)) as { data: Experiment };
    if (data.status === 'done') return data;
    if (data.status === 'paused')
      throw new NotDoneError(`The experiment "${data.name}" reached its cap and is paused.`);
    if (performance.now() > until)
      throw new NotDoneError(`The experiment "${data.name}" did not end in time.`);
    await sleep(POLL_MS);
  }
}

function tableOf({ name, counts, costUsd, results }: Experiment, failUnder: number): string[] {
  const wide = Math.max(9, ...results.map(({ evaluator }) => evaluator.length));
  return [
    `${name}: ${counts.done} of ${counts.total} items done, ${counts.failed} failed, ${costUsd === null ? 'no price known' : `${costUsd.toFixed(4)} USD`}`,
    `${'evaluator'.padEnd(wide)}  judged     pass rate`,
    ...results.map(({ evaluator, judged, of, passRate }) => {
      const rate = passRate === null ? '-' : `${(passRate * 100).toFixed(1)} %`;
      const verdict = passRate !== null && passRate >= failUnder ? '' : `  below ${failUnder}`;
      return `${evaluator.padEnd(wide)}  ${`${judged} of ${of}`.padEnd(9)}  ${rate}${verdict}`;
    }),
  ];
}

/** Characters that XML 1.0 cannot hold are left out: texts are a model's. */
const xml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

function junitOf({ name }: Experiment, items: readonly Item[], evaluators: readonly string[]): string {
  const cases = items.flatMap(({ id, error, scores }) =>
    evaluators.map((evaluator) => {
      const score = scores[evaluator];
      const open = `    <testcase classname="${xml(evaluator)}" name="${xml(id)}"`;
      if (score?.state === 'skipped')
        return `${open}><skipped message="${xml(score.explanation)}"/></testcase>`;
      if (score?.verdict === 'fail')
        return `${open}><failure message="${xml(score.explanation)}"/></testcase>`;
      if (score?.verdict === 'pass') return `${open}/>`;
      return `${open}><error message="${xml(error ?? 'It was not judged.')}"/></testcase>`;
    }),
  );
  const count = (tag: string) => cases.filter((one) => one.includes(`<${tag} `)).length;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${xml(name)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
}

function number(text: string, option: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new UsageError(`${option} takes a number.`);
  return value;
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        dataset: { type: 'string' },
        revision: { type: 'string' },
        prompt: { type: 'string' },
        version: { type: 'string' },
        template: { type: 'string' },
        model: { type: 'string' },
        evaluators: { type: 'string' },
        'fail-under': { type: 'string' },
        'allow-uncalibrated': { type: 'boolean' },
        'allow-unjudged': { type: 'boolean' },
        'cap-usd': { type: 'string' },
        junit: { type: 'string' },
        'timeout-s': { type: 'string' },
      },
    }).values;
  } catch (thrown) {
    throw new UsageError((thrown as Error).message, { cause: thrown });
  }
}
