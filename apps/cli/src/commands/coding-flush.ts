import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  alone,
  drain,
  foldersIn,
  makeFolders,
  noteFailure,
  readCounted,
  recover,
  runDrainer,
} from '@candela/coding-agents';
import { CandelaError } from '@candela/kernel';
import { agentsOf } from '../coding/agents.ts';
import { drainSettingsOf, pathsOf } from '../coding/settings.ts';
import { type Command, UsageError } from '../command.ts';

export const codingFlush: Command = {
  words: ['coding', 'flush'],
  summary: 'Sends the events of coding agents that wait',
  help: `candela coding flush [--background]

Sends what hooks have written and the platform has not acknowledged.

  --background   goes on until a minute has passed without events; hooks start it so`,

  async run(args, world) {
    const paths = pathsOf(world);
    const folders = makeFolders(paths.state);
    if (args.includes('--background')) {
      await runDrainer(folders, () => drainSettingsOf(world.env, paths)).catch(() => undefined);
      return;
    }
    const done = await alone(folders.lock, async () => {
      recover(folders);
      const { settings, target } = await drainSettingsOf(world.env, paths);
      return await drain(folders, settings, target, readCounted(folders));
    });
    if (done !== undefined) noteFailure(folders, done.failure);
    if (done === undefined) world.say('Events are being sent by a process in the background.');
    else if (done.failure === undefined) world.say(`${done.events} events, ${done.sent} requests sent.`);
    else throw new CandelaError('overloaded', `${done.failure}. Nothing is lost: run this again.`);
  },
};

export const codingHook: Command = {
  words: ['coding', 'hook'],
  summary: 'Takes one event of a coding agent from standard input',
  help: `candela coding hook AGENT EVENT < payload.json

What the installed shell line does, for agents and platforms without a shell. Ends with 0 whatever happens.`,

  async run(args, world) {
    const [name, event = ''] = args;
    if (name === undefined || !/^[A-Za-z0-9_.]{1,100}$/.test(event))
      throw new UsageError('Which agent and event?');
    const [agent] = agentsOf([name]);
    try {
      const { spool } = foldersIn(pathsOf(world).state);
      const file = join(spool, `${agent?.id ?? ''}.${event}.${process.ppid}.${process.pid}`);
      writeFileSync(file, readFileSync(0), { flag: 'wx', mode: 0o600 });
    } catch {
      // An agent must not fail for what watches it.
    }
  },
};
