/** Simple commands of a shell line, as words. Enough to tell `git commit` from text about it. */

const LONGEST = 64 << 10;
const SEPARATORS = new Set([';', '&', '|', '\n', '(', ')', '{', '}']);

/** Words of each simple command of a line; quoted text is one word, here-documents are left out. Never throws. */
export function commandsOf(line: string): string[][] {
  const text = withoutHereDocuments(line.slice(0, LONGEST));
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\\') {
      at += 1;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(text, at);
      const inside = text.slice(at + 1, end);
      word = (word ?? '') + inside;
      // What "$( … )" runs is run, though it stands in quotes.
      if (character === '"') for (const inner of substitutions(inside)) commands.push(...commandsOf(inner));
      at = end;
    } else if (character === '#' && word === undefined) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end - 1;
    } else if (character === '$' && text[at + 1] === '(') {
      endCommand();
      at += 1;
    } else if (character === '`') endCommand();
    else if (SEPARATORS.has(character)) endCommand();
    else if (/\s/.test(character)) endWord();
    else word = (word ?? '') + character;
  }
  endCommand();
  return commands.map((command) => bare(command)).filter((command) => command.length > 0);
}

function endOfQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function substitutions(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf('$('); at !== -1 && found.length < 20; at = text.indexOf('$(', at + 2)) {
    const end = text.indexOf(')', at);
    found.push(text.slice(at + 2, end === -1 ? undefined : end));
  }
  return found;
}

function withoutHereDocuments(text: string): string {
  let out = text;
  for (let n = 0; n < 20; n++) {
    const start = /<<-?\s{0,4}(["']?)([A-Za-z_][A-Za-z0-9_]{0,40})\1([^\n]{0,4000})\n/.exec(out);
    if (start === null) return out;
    const body = start.index + start[0].length;
    const lines = out.slice(body).split('\n');
    const last = lines.findIndex((line) => line.trim() === start[2]);
    const rest = last === -1 ? '' : lines.slice(last + 1).join('\n');
    out = `${out.slice(0, start.index)}${start[3] ?? ''}\n${rest}`;
  }
  return out;
}

/** Without variables in front, and without programs that run another. */
function bare(words: readonly string[]): string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (/^[A-Za-z_][A-Za-z0-9_]{0,100}=/.test(word)) at += 1;
    else if (
      ['sudo', 'env', 'command', 'time', 'exec', 'nohup', 'then', 'do', 'else', 'if', '!'].includes(word)
    )
      at += 1;
    else break;
  }
  const rest = words.slice(at);
  const program = rest[0]?.split('/').at(-1) ?? '';
  return rest.length === 0 ? [] : [program, ...rest.slice(1)];
}

/** The subcommand and its arguments, of `git -C x -c k=v commit -m y`. */
function subcommand(words: readonly string[]): readonly string[] {
  let at = 1;
  while (at < words.length && (words[at] ?? '').startsWith('-')) {
    at += /^(?:-C|-c|--git-dir|--work-tree|--namespace|-R|--repo)$/.test(words[at] ?? '') ? 2 : 1;
  }
  return words.slice(at);
}

const HARMLESS = /^(?:--dry-run|--help|-h)$/;

/** Commits that the line asks for: the messages, undefined where none is written in it. Amended ones are left out. */
export function commitsIn(line: string): { readonly message?: string }[] {
  return commandsOf(line).flatMap((words) => {
    if (words[0] !== 'git') return [];
    const [name, ...args] = subcommand(words);
    if (name !== 'commit' || args.some((arg) => HARMLESS.test(arg) || arg === '--amend')) return [];
    const at = args.findIndex((arg) => /^-[a-z]{0,5}m$|^--message$/.test(arg));
    const message = at === -1 ? args.find((arg) => arg.startsWith('--message='))?.slice(10) : args[at + 1];
    return [message === undefined ? {} : { message }];
  });
}

/** Whether the line opens a pull or merge request. */
export function opensPullRequest(line: string): boolean {
  return commandsOf(line).some((words) => {
    if (words.some((word) => HARMLESS.test(word))) return false;
    const [a, b, c] = [words[0], ...subcommand(words)];
    if (a === 'gh') return b === 'pr' && (c === 'create' || c === 'new');
    if (a === 'glab') return b === 'mr' && (c === 'create' || c === 'new');
    if (a === 'tea') return (b === 'pr' || b === 'pulls') && c === 'create';
    if (a === 'hub') return b === 'pull-request';
    if (a === 'az') return b === 'repos' && c === 'pr' && words.includes('create');
    return (
      a === 'git' &&
      b === 'push' &&
      words.some((word) => /^(?:-o|--push-option=?)?merge_request\.create/.test(word))
    );
  });
}

/** Address and number of the request that an output names. */
export function pullRequestIn(output: string): { readonly url: string; readonly number: number } | undefined {
  const found =
    /https:\/\/[^\s/]{1,200}\/[^\s]{1,300}?\/(?:pull|pull-requests|pulls|merge_requests|pullrequest)\/(\d{1,9})/.exec(
      output.slice(0, 200_000),
    );
  return found === null ? undefined : { url: found[0], number: Number(found[1]) };
}
