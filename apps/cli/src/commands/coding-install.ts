import { parseArgs } from 'node:util';
import { install, makeFolders, MalformedFile, uninstall } from '@candela/coding-agents';
import { CandelaError } from '@candela/kernel';
import { agentsOf, commandOf, drainerOf } from '../coding/agents.ts';
import { pathsOf } from '../coding/settings.ts';
import { type Command, UsageError, type World } from '../command.ts';

const AGENTS_HELP = `claude-code, cursor, codex, windsurf, gemini-cli, copilot-cli, opencode; none or "all": every one`;

export const codingInstall: Command = {
  words: ['coding', 'install'],
  summary: 'Wires hooks into coding agents, so that their sessions are recorded',
  help: `candela coding install [AGENT...] [--dry-run]

Adds one shell line to the hooks of each agent in its user settings; comments, order and format of the file stay. The
line writes the event to a file below the state folder and ends; a process in the background sends it.

  AGENT       ${AGENTS_HELP}
  --dry-run   shows what would change`,
  run: (args, world) => change(args, world, 'install'),
};

export const codingUninstall: Command = {
  words: ['coding', 'uninstall'],
  summary: 'Takes the hooks out of coding agents again',
  help: `candela coding uninstall [AGENT...] [--dry-run]

Restores each settings file byte for byte where nothing else has changed it since; else takes out our entries only.

  AGENT       ${AGENTS_HELP}
  --dry-run   shows what would change`,
  run: (args, world) => change(args, world, 'uninstall'),
};

async function change(args: readonly string[], world: World, what: 'install' | 'uninstall'): Promise<void> {
  const { positionals, dryRun } = read(args);
  const paths = pathsOf(world);
  const failures: string[] = [];
  if (what === 'install' && !dryRun) makeFolders(paths.state);
  const program = drainerOf(paths, world.program, what === 'install' && !dryRun);
  for (const agent of agentsOf(positionals)) {
    try {
      const options = { home: paths.home, state: paths.state, dryRun };
      const command = commandOf(agent, paths, program);
      const { file, diff } =
        what === 'install' ? install(agent, { ...options, command }) : uninstall(agent, options);
      if (dryRun) world.say(diff === '' ? `${agent.title}: ${file} stays as it is.` : diff);
      else world.say(`${agent.title}: ${file} ${diff === '' ? 'is as it should be' : 'changed'}.`);
      if (what === 'install' && agent.install.afterwards !== undefined)
        world.say(`  ${agent.install.afterwards}`);
    } catch (thrown) {
      if (!(thrown instanceof MalformedFile)) throw thrown;
      failures.push(`${agent.title}: ${thrown.message}`);
    }
  }
  if (failures.length > 0) throw new CandelaError('bad_request', failures.join('\n'));
}

function read(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean' } },
    });
    return { positionals, dryRun: values['dry-run'] === true };
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
  }
}
