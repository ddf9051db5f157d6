import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import type { CodingAgent, CommandFor } from '../agent.ts';
import { digest } from '../session/ids.ts';
import { readText, writeWhole } from '../spool/files.ts';
import { MalformedFile, withEntries, withoutEntries } from './edit.ts';
import { MARK } from './line.ts';

export interface InstallOptions {
  readonly home: string;
  /** Folder of the state: what the file held before is kept there. */
  readonly state: string;
  readonly command: CommandFor;
  readonly dryRun?: boolean;
}

/** What was done, or in a dry run would be. */
export interface Change {
  readonly file: string;
  /** Unified; empty where nothing changes. */
  readonly diff: string;
}

/** The file before it was first edited, and a digest of what we made of it. */
interface Memory {
  readonly before: string | null;
  readonly after: string;
  readonly folders: readonly string[];
}

/** Wires an agent's hooks in. Twice is once. @throws MalformedFile, and nothing was touched */
export function install(agent: CodingAgent, options: InstallOptions): Change {
  const file = target(join(options.home, agent.install.path));
  const before = readFile(file);
  if (agent.install.kind === 'own' && before !== undefined && !before.includes(MARK)) {
    throw new MalformedFile(`${file} exists and is not ours: move it away first.`);
  }
  const memory = memoryFile(options.state, agent);
  const known = readMemory(memory);
  // Where nobody has edited since, the same comes of what was there before.
  const isOurs = known !== undefined && known.after === digest(before ?? '');
  const base = isOurs ? (known.before ?? '') : (before ?? '');
  const after =
    agent.install.kind === 'own'
      ? (agent.install.whole?.(options.command) ?? '')
      : edited(file, () => withEntries(base, agent.install.entries(options.command)));
  if (options.dryRun !== true && after !== before) {
    const folders = missingFolders(file);
    mkdirSync(dirname(file), { recursive: true });
    mkdirSync(dirname(memory), { recursive: true, mode: 0o700 });
    const first = isOurs ? known.before : (before ?? null);
    const made = isOurs ? known.folders : folders;
    replace(file, before, after);
    writeWhole(
      memory,
      JSON.stringify({ before: first, after: digest(after), folders: made } satisfies Memory),
    );
  }
  return { file, diff: diffOf(file, before ?? '', after) };
}

/** Takes the hooks out: byte for byte what was there before, where nobody else has edited the file since. */
export function uninstall(agent: CodingAgent, options: Omit<InstallOptions, 'command'>): Change {
  const file = target(join(options.home, agent.install.path));
  const before = readFile(file);
  if (before === undefined) return { file, diff: '' };
  const memory = memoryFile(options.state, agent);
  const known = readMemory(memory);
  const untouched = known !== undefined && known.after === digest(before);
  const after = untouched
    ? known.before
    : agent.install.kind === 'own'
      ? before.includes(MARK)
        ? null
        : before
      : edited(file, () => withoutEntries(before));
  if (options.dryRun !== true) {
    if (after === null) {
      rmSync(file);
      for (const folder of known?.folders ?? []) removeEmpty(folder);
    } else if (after !== before) replace(file, before, after);
    rmSync(memory, { force: true });
  }
  return { file, diff: diffOf(file, before, after ?? '') };
}

/** Whether the agent's hooks are wired in. */
export function isInstalled(agent: CodingAgent, home: string): boolean {
  return readFile(join(home, agent.install.path))?.includes(MARK) ?? false;
}

/** Where a link leads: people keep such files elsewhere. */
function target(file: string): string {
  return existsSync(file) && lstatSync(file).isSymbolicLink() ? realpathSync(file) : file;
}

/** Text of a file whose bytes are text; one with other bytes could not be written back as it was. */
function readFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes))
    throw new MalformedFile(`${file} is not valid UTF-8; nothing was changed.`);
  return text;
}

function edited(file: string, edit: () => string): string {
  try {
    return edit();
  } catch (thrown) {
    if (!(thrown instanceof MalformedFile)) throw thrown;
    throw new MalformedFile(`${file} cannot be edited, ${thrown.message} Nothing was changed.`, {
      cause: thrown,
    });
  }
}

function replace(file: string, before: string | undefined, after: string): void {
  if (readFile(file) !== before)
    throw new MalformedFile(`${file} is being changed by another program. Run this again.`);
  const was = before === undefined ? undefined : statSync(file);
  if (before !== undefined) {
    const backup = `${file}.candela-backup`;
    const isFresh = existsSync(backup) && Date.now() - statSync(backup).mtimeMs < 86_400_000;
    if (!isFresh) writeWhole(backup, before);
  }
  writeWhole(file, after, was === undefined ? 0o600 : was.mode & 0o777);
  if (was === undefined) return;
  chmodSync(file, was.mode & 0o7777);
  if (was.uid !== process.getuid?.()) chownSync(file, was.uid, was.gid);
}

const memoryFile = (state: string, { id }: CodingAgent) => join(state, 'installed', `${id}.json`);
function readMemory(file: string): Memory | undefined {
  const text = readText(file);
  return text === undefined ? undefined : (JSON.parse(text) as Memory);
}

function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  return missing;
}
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else is in it.
  }
}

function diffOf(file: string, before: string, after: string): string {
  return before === after ? '' : createTwoFilesPatch(file, file, before, after);
}
