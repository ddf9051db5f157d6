import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './packages.ts';

export interface Commit {
  readonly date: string;
  /** Names of tags on it. */
  readonly tags: readonly string[];
  readonly subject: string;
}

/** Areas whose changes nobody who installs it sees. */
const INSIDE = new Set(['tests', 'test', 'ci', 'check', 'tools', 'chore', 'bench', 'format']);
const SEPARATOR = '\u001F';

/** Commits of the working copy, the newest first; none where there is no history, as in an unpacked archive. */
function commitsOf(folder: string): Commit[] {
  let text: string;
  try {
    text = execFileSync(
      'git',
      ['log', '--no-merges', '--date=short', `--format=%ad${SEPARATOR}%D${SEPARATOR}%s`],
      { cwd: folder, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] },
    );
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [date, names, subject] = line.split(SEPARATOR);
    if (date === undefined || names === undefined || subject === undefined) return [];
    const tags = names.split(', ').flatMap((name) => (name.startsWith('tag: ') ? [name.slice(5)] : []));
    return [{ date, tags, subject }];
  });
}

/** A changelog: a section a version (tags `v1.2.3`, what follows the last one is `version`), in it the areas by name. */
export function changelogOf(commits: readonly Commit[], version: string): string {
  const sections: { name: string; date: string; areas: Map<string, Set<string>> }[] = [];
  for (const { date, tags, subject } of commits) {
    const tag = tags.find((name) => /^v\d+\.\d+\.\d+/.test(name));
    if (tag !== undefined || sections.length === 0) {
      sections.push({ name: tag?.slice(1) ?? version, date, areas: new Map() });
    }
    const at = subject.indexOf(': ');
    const [area, change] = at < 0 ? ['other', subject] : [subject.slice(0, at), subject.slice(at + 2)];
    if (INSIDE.has(area) || /^generated files$/.test(change)) continue;
    const { areas } = sections.at(-1) ?? { areas: new Map<string, Set<string>>() };
    const changes = areas.get(area) ?? new Set();
    changes.add(change);
    areas.set(area, changes);
  }
  const body = sections.map(({ name, date, areas }) => {
    const parts = [...areas]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([area, changes]) =>
          `### ${area}\n\n${[...changes].map((change) => `- ${escaped(change)}`).join('\n')}`,
      );
    return `## ${name} (${date})\n\n${parts.join('\n\n')}`;
  });
  return `# Changes\n\n${body.join('\n\n')}\n`;
}

/** Words of a subject that Markdown would read as its own. */
const escaped = (text: string): string => text.replaceAll(/[<*_[\]]/g, String.raw`\$&`);

/** The changelog of this repository. */
export function changelog(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'apps', 'server', 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return changelogOf(commitsOf(ROOT), version);
}
