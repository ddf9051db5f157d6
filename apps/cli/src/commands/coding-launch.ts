import { spawn } from 'node:child_process';
import { install, makeFolders } from '@candela/coding-agents';
import { CandelaError } from '@candela/kernel';
import { agentsOf, commandOf, drainerOf } from '../coding/agents.ts';
import { pathsOf } from '../coding/settings.ts';
import { type Command, UsageError } from '../command.ts';

export const codingLaunch: Command = {
  words: ['coding', 'launch'],
  summary: 'Starts a coding agent with its hooks wired in',
  help: `candela coding launch AGENT [-- ARGUMENTS...]

Installs the hooks of the agent, as "coding install" does, and starts it. Where that fails it says so and starts the
agent nevertheless.`,

  async run(args, world) {
    const [name, ...rest] = args;
    if (name === undefined) throw new UsageError('Which agent?');
    const [agent] = agentsOf([name]);
    if (agent === undefined || name === 'all') throw new UsageError('Name one agent.');
    const paths = pathsOf(world);
    try {
      makeFolders(paths.state);
      install(agent, { ...paths, command: commandOf(agent, paths, drainerOf(paths, world.program, true)) });
    } catch (thrown) {
      world.say(`Not recorded: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    const child = spawn(agent.program, rest[0] === '--' ? rest.slice(1) : rest, { stdio: 'inherit' });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    child.on('error', reject).on('exit', (code) => resolve(code ?? 1));
    const code = await promise.catch((thrown: unknown) => {
      throw new CandelaError(
        'not_found',
        `"${agent.program}" cannot be started. Is ${agent.title} installed?`,
        { cause: thrown },
      );
    });
    if (code !== 0) throw new CandelaError('refused', `${agent.title} ended with code ${code}.`);
  },
};
