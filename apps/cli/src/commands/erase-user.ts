import { closeSync, openSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { answerOf, type Command, NotDoneError, UsageError } from '../command.ts';

interface Certificate {
  readonly dryRun: boolean;
  readonly traces: number;
  readonly sessions: number;
  readonly tables: readonly { readonly table: string; readonly before: number; readonly after: number }[];
  readonly chats: { readonly before: number; readonly after: number };
  readonly media: { readonly before: number; readonly after: number };
  readonly complete: boolean;
  readonly backups: { readonly target: string; readonly keep: number } | null;
  readonly digest: string;
}

/** Deletes what a project holds of a user of its applications. */
export const eraseUserData: Command = {
  words: ['erase', 'user'],
  failureCode: 2,
  summary: 'Deletes what a project holds of a user, by user id, and says what went',
  help: `candela erase user ID [options]

Deletes spans, logs, scores, exceptions and metrics that name the user, and of their traces and sessions what names nobody else. The
address and key are PLATFORM_URL and PLATFORM_API_KEY (scope db_config); the key's project is meant, and of it all environments.

  --yes                deletes; without it only counts
  --environment NAME   in this environment only
  --certificate FILE   the answer as JSON: rows by table before and after, and its SHA-256, which the audit log has too

Exit codes: 0 nothing is left, or it was only counted; 1 something is left; 2 it could not be done.`,

  async run(args, world) {
    const { values, positionals } = read(args);
    const [userId] = positionals;
    if (userId === undefined || positionals.length > 1) throw new UsageError('Name one user id.');
    const url = world.env['PLATFORM_URL'];
    const key = world.env['PLATFORM_API_KEY'];
    if (url === undefined || key === undefined)
      throw new UsageError('Set PLATFORM_URL and PLATFORM_API_KEY.');
    // Before anything is deleted: it is given out once.
    const certificate = values.certificate === undefined ? undefined : resolve(world.cwd, values.certificate);
    if (certificate !== undefined) closeSync(openSync(certificate, 'a'));
    const response = await fetch(new URL('/api/erasure', url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(values.environment === undefined ? {} : { 'x-platform-environment': values.environment }),
      },
      body: JSON.stringify({ userId, dryRun: values.yes !== true }),
    });
    const answer = await answerOf<{ err?: string; data: Certificate }>(response);
    if (!response.ok) throw new NotDoneError(answer.err ?? `The platform answered ${response.status}.`);
    const { data } = answer;
    world.say(`${data.traces} traces, ${data.sessions} sessions`);
    for (const { table, before, after } of data.tables) {
      world.say(`${table}: ${before} rows${data.dryRun ? '' : `, ${after} left`}`);
    }
    if (data.chats.before > 0)
      world.say(`conversations: ${data.chats.before}${data.dryRun ? '' : `, ${data.chats.after} left`}`);
    if (data.media.before > 0) {
      const kept = data.dryRun ? '' : `, ${data.media.after} kept: others use them too`;
      world.say(`images, sounds and files: ${data.media.before}${kept}`);
    }
    if (data.dryRun) world.say('Nothing was deleted: --yes does.');
    else if (data.backups !== null) {
      world.say(`Backups in ${data.backups.target} hold it until ${data.backups.keep} newer ones are made.`);
    }
    world.say(`digest ${data.digest}`);
    if (certificate !== undefined) {
      writeFileSync(certificate, `${JSON.stringify(data, undefined, 2)}\n`);
    }
    return data.dryRun || data.complete ? 0 : 1;
  },
};

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        yes: { type: 'boolean' },
        environment: { type: 'string' },
        certificate: { type: 'string' },
      },
    });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message, { cause: thrown });
  }
}
