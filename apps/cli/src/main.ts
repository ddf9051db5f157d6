#!/usr/bin/env node
import { CandelaError } from '@candela/kernel';
import { NotDoneError, UsageError } from './command.ts';
import { COMMANDS } from './commands/index.ts';

/** `candela <words> [options]`. Code 0: done. 1: it could not be done, unless the command says otherwise. 2: not understood. */
async function main(args: readonly string[]): Promise<number> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  // Of a file or an answer it may hold what moves a terminal.
  const complain = (line: string) =>
    void process.stderr.write(`${line.replaceAll(/[\p{Cc}--[\n\t]]/gv, ' ')}\n`);
  const wantsHelp = args.length === 0 || args.includes('--help') || args.includes('-h');
  const command = COMMANDS.find(({ words }) => words.every((word, place) => args[place] === word));
  if (command === undefined) {
    // The first word of some: what can follow is what is asked for.
    const group = COMMANDS.filter(({ words }) => words.length > 1 && words[0] === args[0]);
    const list = (group.length > 0 ? group : COMMANDS)
      .map(({ words, summary }) => `  ${words.join(' ')}  ${summary}`)
      .join('\n');
    const usage = `candela <command> [options]\n\n${list}\n\ncandela <command> --help says more.`;
    if (wantsHelp) say(usage);
    else complain(`There is no command "${args.join(' ')}".\n\n${usage}`);
    return wantsHelp ? 0 : 2;
  }
  if (wantsHelp) {
    say(command.help);
    return 0;
  }
  try {
    const { env } = process;
    const code = await command.run(args.slice(command.words.length), {
      env,
      cwd: process.cwd(),
      program: [process.execPath, import.meta.filename],
      say,
    });
    return code ?? 0;
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      // Help would hide what the platform said.
      complain(thrown instanceof NotDoneError ? thrown.message : `${thrown.message}\n\n${command.help}`);
      return 2;
    }
    if (needsPlatform(thrown)) {
      complain(
        `"candela ${command.words.join(' ')}" opens the stores of an installation, which this file does not hold. Use the package of the platform: candela-<version>.tgz.`,
      );
      return command.failureCode ?? 1;
    }
    const forPeople =
      thrown instanceof CandelaError ||
      // By name: the drainer, which hooks start, loads neither store.
      (thrown instanceof Error &&
        /^(?:MetadataStoreError|VaultKeyError|BackupError|DirectoryLockedError)$/.test(thrown.name));
    complain(
      forPeople
        ? thrown.message
        : (troubleOf(thrown) ?? (thrown instanceof Error ? (thrown.stack ?? '') : String(thrown))),
    );
    return command.failureCode ?? 1;
  }
}

/** A sentence where the world outside is the reason: an address that does not answer, a file that cannot be used. */
function troubleOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (thrown.name === 'TimeoutError') return 'The platform did not answer in time.';
  if ('code' in thrown && thrown.code === 'ERR_INVALID_URL') {
    return `${JSON.stringify('base' in thrown ? thrown.base : 'input' in thrown ? thrown.input : '')} is no address of a platform.`;
  }
  const { cause } = thrown;
  // `fetch` says that it failed, and its cause why: of several addresses by a code alone.
  if (thrown instanceof TypeError && cause instanceof Error) {
    return `The platform does not answer: ${cause.message || ('code' in cause ? String(cause.code) : cause.name)}.`;
  }
  return 'syscall' in thrown ? `${thrown.message}.` : undefined;
}

/** In the single file the stores are left out. */
function needsPlatform(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    thrown.code === 'ERR_MODULE_NOT_FOUND' &&
    thrown.message.includes("'@candela/")
  );
}

// Whoever reads only the beginning (`| head`) is done with it.
process.stdout.on('error', () => undefined);
process.exitCode = await main(process.argv.slice(2));
