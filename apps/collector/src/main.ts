import { isMainThread } from 'node:worker_threads';
import { NAME, VERSION } from './about.ts';
import { HELP, parseArguments } from './cli.ts';
import { readConfig } from './config.ts';
import { createLog, errorText, type Log } from './log.ts';
import { Fault } from './source.ts';
import { endProcess } from './stuck-threads.ts';

const end = (code: number): Promise<void> => endProcess(code, (status) => process.exit(status));

async function main(): Promise<void> {
  const asked = parseArguments(process.argv.slice(2));
  if ('unknown' in asked) {
    process.stderr.write(`Unknown argument: ${JSON.stringify(asked.unknown)}. --help lists what there is.\n`);
    return end(2);
  }
  if (asked.command === 'help') return print(HELP);
  if (asked.command === 'version') return print(`${VERSION}\n`);

  // Nobody reads it any more when the program that started the agent is gone. That is no reason to fail: told to the same
  // place it would be the next failure, and so for ever.
  process.stderr.on('error', () => undefined);
  const { config, warnings, settings } = readConfig();
  const inspecting = asked.command !== 'run';
  // What is printed is the answer; beside it only what went wrong is of interest.
  const quiet = inspecting && config.logLevel === 'info' ? 'warn' : config.logLevel;
  const log = createLog(quiet, (text) => process.stderr.write(text));
  try {
    if (asked.command === 'check') {
      const { runCheck } = await import('./inspect.ts');
      await print(await runCheck(config, settings, warnings, log));
      return await end(0);
    }
    for (const warning of warnings) log.warn(warning);
    if (asked.command === 'once') {
      const { runOnce } = await import('./inspect.ts');
      await print(`${await runOnce(config, log)}\n`);
      return await end(0);
    }
    if (asked.command === 'tap') {
      const { runTap } = await import('./ebpf/llm/tap-main.ts');
      const ending = new AbortController();
      const stop = (): void => ending.abort();
      for (const name of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(name, stop);
      await runTap(asked.file ?? '', config, log, ending.signal);
      return await end(0);
    }
    const { startAgent } = await import('./agent.ts');
    const agent = await startAgent(config, log);
    stopOnSignals(agent, log);
    process.on('uncaughtException', (error) => {
      agent.countUncaught();
      log.error('an error was not caught', { detail: error.stack ?? error.message });
    });
    // Who reads this may send a signal at once: it has to be heard by then.
    log.info(`${NAME} runs`, agent.facts);
    throw await agent.failed;
  } catch (thrown) {
    // A fault is the operator's to mend and says how; anything else is ours, and its stack says where.
    const text = thrown instanceof Fault || !(thrown instanceof Error) ? errorText(thrown) : thrown.stack;
    log.error(text ?? errorText(thrown));
    await end(1);
  }
}

function stopOnSignals(agent: { stop(): Promise<boolean> }, log: Log): void {
  let stopping = false;
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info('stopping', { reason });
    void agent.stop().finally(() => end(0));
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!stopping) return stop(signal);
    log.warn('stopping at once', { reason: signal });
    void end(1);
  };
  process.on('SIGTERM', onSignal);
  if (!process.connected) {
    process.on('SIGINT', onSignal);
    return;
  }
  // The child of a program that speaks over a channel, as the platform does: Ctrl-C reaches both, and the program tells
  // when to end by closing the channel, which its own end does too.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => stop('disconnect'));
}

/** Writes to standard output and waits until it is out: a pipe may be slow. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

if (isMainThread) await main();
else {
  const { runGpuThread } = await import('./gpu/thread-main.ts');
  await runGpuThread();
}
