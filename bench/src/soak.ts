/** One long test; its code is loaded only when it runs. */
interface Soak {
  readonly id: string;
  readonly summary: string;
  load(): Promise<{ run(args: string[]): Promise<void> }>;
}

/** Every soak; the explicit registry. */
const SOAKS: readonly Soak[] = [
  {
    id: 'steady',
    summary: 'half of the goal rate for a long time: memory, files and latencies stay where they are',
    load: () => import('./soak/steady.ts'),
  },
  {
    id: 'kill',
    summary: 'the server and the engine are killed again and again under load: nothing is lost or doubled',
    load: () => import('./soak/kill.ts'),
  },
  {
    id: 'freeze',
    summary: 'the engine is stopped for a while under load: the log bridges it',
    load: () => import('./soak/freeze.ts'),
  },
  {
    id: 'rolling',
    summary: 'two replicas of an earlier version are replaced by two of this one under load',
    load: () => import('./soak/rolling.ts'),
  },
  {
    id: 'collector',
    summary: 'the agent for an hour: memory, files and threads stay where they are',
    load: () => import('./soak/collector.ts'),
  },
];

/** `npm run soak -- [name] [options]`; without a name: steady. */
async function main(args: readonly string[]): Promise<void> {
  const [first = ''] = args;
  const named = first !== '' && !first.startsWith('-');
  const chosen = SOAKS.find(({ id }) => id === (named ? first : 'steady'));
  if (chosen === undefined) {
    const list = SOAKS.map(({ id, summary }) => `  ${id.padEnd(9)} ${summary}`).join('\n');
    console.error(`There is no soak "${first}". There are:\n${list}`);
    process.exitCode = 1;
    return;
  }
  const { run } = await chosen.load();
  await run(args.slice(named ? 1 : 0));
}

await main(process.argv.slice(2));
