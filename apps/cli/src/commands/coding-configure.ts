import { parseArgs } from 'node:util';
import { CAPTURE_MODES } from '@candela/coding-agents';
import { type Configured, modeOf, pathsOf, readConfigured, writeConfigured } from '../coding/settings.ts';
import { type Command, UsageError } from '../command.ts';

export const codingConfigure: Command = {
  words: ['coding', 'configure'],
  summary: 'Sets where events of coding agents go and how much of them',
  help: `candela coding configure [OPTIONS]

Without options it shows what is set. An empty value takes a setting back.

  --endpoint URL          the platform; default http://127.0.0.1:3000
  --api-key KEY           a key with the scope "ingest"
  --environment NAME      environment of the data; default "default"
  --content-capture MODE  minimal, metadata_only or full; the default is full
  --repositories LIST     host/owner or host/owner/name, separated by commas: others are not sent
  --user NAME             who you are; default the address in git's configuration`,

  async run(args, world) {
    const values = read(args);
    const paths = pathsOf(world);
    const next: Record<string, unknown> = { ...readConfigured(paths) };
    const set = (key: keyof Configured, value: unknown, text: string | undefined) => {
      if (text === undefined) return;
      if (text === '') delete next[key];
      else next[key] = value;
    };
    const { endpoint } = values;
    if (endpoint && !/^https?:\/\/./.test(endpoint))
      throw new UsageError('--endpoint is no http or https address.');
    const mode = values['content-capture'];
    if (mode && modeOf(mode) === undefined)
      throw new UsageError(`--content-capture is one of ${CAPTURE_MODES.join(', ')}.`);
    set('endpoint', endpoint, endpoint);
    set('apiKey', values['api-key'], values['api-key']);
    set('environment', values.environment, values.environment);
    set('capture', mode, mode);
    set('user', values.user, values.user);
    const list = values.repositories?.split(/[\s,]+/).filter(Boolean);
    set('repositories', list, values.repositories);
    if (args.length > 0) writeConfigured(paths, next);
    for (const [key, value] of Object.entries(next)) {
      world.say(`${key.padEnd(13)} ${key === 'apiKey' ? `${String(value).slice(0, 4)}...` : String(value)}`);
    }
    if (Object.keys(next).length === 0) world.say('Nothing is set; the defaults hold.');
  },
};

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        endpoint: text,
        'api-key': text,
        environment: text,
        'content-capture': text,
        repositories: text,
        user: text,
      },
    }).values;
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
  }
}
