/** A frame of a stack trace, or text between frames, with the lines it takes. */
export interface StackPart {
  readonly kind: 'text' | 'app' | 'library';
  readonly lines: readonly string[];
  /** Function, file and line as far as they are known; only of frames. */
  readonly place: string;
}

/** Code that somebody else wrote: packages, runtimes, standard libraries. */
const LIBRARY =
  /node_modules|node:|\binternal\/|site-packages|dist-packages|lib\/python\d|<frozen |\/usr\/(?:local\/)?lib\/|\/go\/src\/|\/pkg\/mod\/|\/vendor\/|\/gems\/|\bat (?:java|javax|jdk|sun|com\.sun|kotlin|scala|org\.(?:springframework|apache|hibernate|junit))\.|\bat (?:System|Microsoft)\./;

const PYTHON = /^\s*File "([^"]*)", line (\d+)(?:, in (.*))?$/;
/** JavaScript, Java and .NET begin a frame so. */
const AT = /^\s*at\s+(.*)$/;
const GO_PLACE = /^\t(\S.*\.go):(\d+)/;
const RUBY = /^\s*(?:from )?(\S+\.rb):(\d+):in [`'](.*)'$/;

/** Longest stack trace that is taken apart; what follows stays one text. */
const MOST_LINES = 1_000;

/** Takes a stack trace apart into frames of the application, frames of libraries and what stands between. */
export function stackParts(text: string): StackPart[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const parts: StackPart[] = [];
  const add = (kind: StackPart['kind'], taken: readonly string[], place: string) => {
    const last = parts.at(-1);
    if (kind === 'text' && last?.kind === 'text')
      parts[parts.length - 1] = { ...last, lines: [...last.lines, ...taken] };
    else parts.push({ kind, lines: taken, place });
  };
  let at = 0;
  while (at < lines.length && at < MOST_LINES) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    const python = PYTHON.exec(line);
    if (python !== null) {
      const hasCode = next !== '' && !PYTHON.test(next) && /^\s{4,}\S/.test(next);
      const caret = lines[at + 2] ?? '';
      const hasCaret = hasCode && /^\s+[\^~]+\s*$/.test(caret);
      const taken = [line, ...(hasCode ? [next] : []), ...(hasCaret ? [caret] : [])];
      add(owner(python[1] ?? ''), taken, `${python[3] ?? ''} ${python[1]}:${python[2]}`.trim());
      at += taken.length;
    } else if (AT.test(line)) {
      add(owner(line), [line], (AT.exec(line)?.[1] ?? '').trim());
      at += 1;
    } else if (GO_PLACE.test(next) && line !== '' && !/^\s/.test(line)) {
      add(owner(next), [line, next], `${line.replace(/\(.*$/, '')} ${GO_PLACE.exec(next)?.[1] ?? ''}`);
      at += 2;
    } else if (RUBY.test(line)) {
      const ruby = RUBY.exec(line);
      add(owner(line), [line], `${ruby?.[3] ?? ''} ${ruby?.[1]}:${ruby?.[2]}`);
      at += 1;
    } else {
      add('text', [line], '');
      at += 1;
    }
  }
  if (at < lines.length) add('text', lines.slice(at), '');
  return parts;
}

const owner = (where: string): 'app' | 'library' => (LIBRARY.test(where) ? 'library' : 'app');

/** Parts in order, frames of libraries that follow each other together, so that they can be folded. */
export function foldedStack(
  parts: readonly StackPart[],
): (StackPart | { kind: 'folded'; frames: StackPart[] })[] {
  const out: (StackPart | { kind: 'folded'; frames: StackPart[] })[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.kind !== 'library') out.push(part);
    else if (last?.kind === 'folded') last.frames.push(part);
    else out.push({ kind: 'folded', frames: [part] });
  }
  return out;
}
