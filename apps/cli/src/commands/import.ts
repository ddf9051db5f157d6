import { closeSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SIGNALS } from '@candela/kernel';
import { type Command, UsageError } from '../command.ts';
import { formatOf, IMPORTS } from '../imports/index.ts';
import { sendAll } from '../imports/sender.ts';

const SAY_EVERY = 10_000;
const MOST_REASONS = 20;
const wide = Math.max(...IMPORTS.map(({ name }) => name.length));

/** Brings what another platform exported into a project. */
export const importFiles: Command = {
  words: ['import'],
  failureCode: 2,
  summary: 'Imports from Langfuse, Phoenix, LangSmith, Jaeger and OTLP files; again without doubling',
  help: `candela import FILE|FOLDER... [options]

Sends what the files hold to the platform, and only what it does not hold yet: an import that was cut off is typed again. The
address and key are PLATFORM_URL and PLATFORM_API_KEY (scopes ingest and telemetry); the key's project takes it.

  --format NAME       instead of telling it from the first file:
${IMPORTS.map(({ name, summary }) => `                        ${name.padEnd(wide)}  ${summary}`).join('\n')}
  --service NAME      service of what names none; default the format's name
  --environment NAME  of everything; default what the files say, else production
  --dry-run           reads and counts, asks and sends nothing
  --report FILE       the figures as JSON too

Files may be packed with gzip or zstd. Metrics have no ids: importing them twice doubles them. Exit codes: 0 everything is there, 1 some
of it was left out or refused, 2 it could not be done.`,

  async run(args, world) {
    const { values, positionals } = read(args);
    const files = positionals.flatMap((path) => filesAt(resolve(world.cwd, path)));
    if (files.length === 0)
      throw new UsageError(
        positionals.length === 0
          ? 'Name files to import.'
          : `There are no files in ${positionals.join(', ')}.`,
      );
    const named = IMPORTS.find(({ name }) => name === values.format);
    if (values.format !== undefined && named === undefined) {
      throw new UsageError(`--format is one of ${IMPORTS.map(({ name }) => name).join(', ')}.`);
    }
    const format = named ?? (await formatOf(files));
    const url = world.env['PLATFORM_URL'];
    const key = world.env['PLATFORM_API_KEY'];
    const dryRun = values['dry-run'] === true;
    // Before hours of sending: a report that cannot be written is known now.
    const report = values.report === undefined ? undefined : resolve(world.cwd, values.report);
    if (report !== undefined) closeSync(openSync(report, 'a'));
    if (!dryRun && url === undefined) throw new UsageError('Set PLATFORM_URL and PLATFORM_API_KEY.');
    const skipped = new Map<string, { count: number; first: string | undefined }>();
    const notes = {
      skipped: (reason: string, file?: string, line?: number) => {
        const known = skipped.get(reason);
        if (known !== undefined) known.count += 1;
        else skipped.set(reason, { count: 1, first: file === undefined ? undefined : placeOf(file, line) });
      },
    };
    world.say(`${format.name}: ${files.length} ${files.length === 1 ? 'file' : 'files'}`);
    const records = format.read(files, { service: values.service ?? format.name }, notes);
    const { counts, reasons } = await sendAll(
      records,
      { url: url ?? '', key, environment: values.environment },
      {
        dryRun,
        progress: (count) => {
          if (count % SAY_EVERY === 0) world.say(`${count} records read`);
        },
      },
    );
    for (const signal of SIGNALS) {
      const { sent, known, rejected } = counts[signal];
      if (sent + known + rejected === 0) continue;
      const name = { traces: 'spans', logs: 'scores and log records', metrics: 'points of metrics' }[signal];
      world.say(
        `${name}: ${sent} ${dryRun ? 'to be sent' : 'sent'}, ${known} known already, ${rejected} refused`,
      );
    }
    const isEmpty = SIGNALS.every((signal) => {
      const { sent, known, rejected } = counts[signal];
      return sent + known + rejected === 0;
    });
    if (isEmpty && skipped.size === 0) world.say('There is nothing in it to import.');
    const troubles = [...skipped].map(([reason, { count, first }]) => ({
      what: 'left out',
      reason,
      count,
      first,
    }));
    for (const [reason, count] of reasons)
      troubles.push({ what: 'refused', reason, count, first: undefined });
    for (const { what, reason, count, first } of troubles.slice(0, MOST_REASONS)) {
      const where = first === undefined ? '' : `; ${count === 1 ? 'in' : 'first in'} ${first}`;
      world.say(`${what}: ${count} (${reason}${where})`);
    }
    if (report !== undefined) {
      const told = { format: format.name, files, dryRun, counts, troubles };
      writeFileSync(report, `${JSON.stringify(told, undefined, 2)}\n`);
    }
    return troubles.length === 0 ? 0 : 1;
  },
};

/** Where something stands, for a terminal: the name of a file may hold what moves one. */
const placeOf = (file: string, line: number | undefined): string =>
  `${file.replaceAll(/\p{Cc}/gu, '?')}${line === undefined ? '' : `, line ${line}`}`;

/** A file, or the files of a folder and of those in it. */
function filesAt(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`There is no ${path}.`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .flatMap((entry) =>
      entry.isFile() && !entry.name.startsWith('.') ? [join(entry.parentPath, entry.name)] : [],
    )
    .sort();
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        format: { type: 'string' },
        service: { type: 'string' },
        environment: { type: 'string' },
        'dry-run': { type: 'boolean' },
        report: { type: 'string' },
      },
    });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message, { cause: thrown });
  }
}
