import { type Matcher, Unsaid, unquoted } from './matchers.ts';

/** The part of PromQL that dashboards are made of. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'selector'; readonly metric: string; readonly matchers: readonly Matcher[] }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      /** Labels that a sum keeps; undefined: none was named. */
      readonly by: readonly string[] | undefined;
    }
  | {
      readonly kind: 'binary';
      readonly op: string;
      readonly left: Expression;
      readonly right: Expression;
    };

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w:])|(?<name>[A-Za-z_:][\w:]*)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<range>\[[^\]]*\])|(?<sign>=~|!~|!=|==|>=|<=|[(){},=+\-*/%^<>]))/y;

interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'range' | 'sign';
  readonly text: string;
}

const MOST_TOKENS = 500;
const MOST_DEPTH = 30;

function tokensOf(text: string): Token[] {
  const source = text.replaceAll(/#[^\n]*/g, '').trim();
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(source)?.groups;
    const found = Object.entries(groups ?? {}).find(([, value]) => value !== undefined);
    if (found === undefined) {
      const rest = source.slice(at).trim();
      if (rest.startsWith('$')) throw new Unsaid('a variable stands where a name is wanted');
      throw new Unsaid(`it has ${JSON.stringify(rest.slice(0, 12))}`);
    }
    tokens.push({ kind: found[0] as Token['kind'], text: found[1] ?? '' });
    if (tokens.length > MOST_TOKENS) throw new Unsaid('it is too long');
  }
  return tokens;
}

const WEAK = new Set(['+', '-']);
const STRONG = new Set(['*', '/', '%']);

/** Reads an expression. @throws Unsaid with what it has that is not read here */
export function parsePromql(text: string): Expression {
  if (/\}?\s\boffset\b/.test(text)) throw new Unsaid('it looks at another time');
  const tokens = tokensOf(text);
  let at = 0;
  let depth = 0;
  const peek = (ahead = 0): string => tokens[at + ahead]?.text ?? '';
  const take = (wanted?: string): Token => {
    const token = tokens[at];
    if (token === undefined || (wanted !== undefined && token.text !== wanted))
      throw new Unsaid(`it is not read here near ${JSON.stringify(token?.text ?? 'its end')}`);
    at += 1;
    return token;
  };
  const names = (): string[] => {
    const list: string[] = [];
    take('(');
    while (peek() !== ')') {
      list.push(take().text);
      if (peek() === ',') take();
    }
    take(')');
    return list;
  };
  const grouping = (): readonly string[] | undefined => {
    if (peek() === 'without') throw new Unsaid('"without" names the labels that are left out');
    if (peek() !== 'by') return undefined;
    take();
    return names();
  };
  const selector = (metric: string): Expression => {
    const matchers: Matcher[] = [];
    if (peek() === '{') {
      take();
      while (peek() !== '}') {
        const label = take().text;
        const op = take().text as Matcher['op'];
        if (!['=', '!=', '=~', '!~'].includes(op)) throw new Unsaid(`it compares labels by ${op}`);
        const token = take();
        if (token.kind !== 'text') throw new Unsaid('a label is compared with no text');
        matchers.push({ label, op, value: unquoted(token.text) });
        if (peek() === ',') take();
      }
      take('}');
    }
    if (tokens[at]?.kind === 'range') take();
    const named = matchers.find(({ label, op }) => label === '__name__' && op === '=')?.value;
    const rest = matchers.filter(({ label }) => label !== '__name__');
    if (metric === '' && named === undefined) throw new Unsaid('it names no metric');
    return { kind: 'selector', metric: metric === '' ? (named ?? '') : metric, matchers: rest };
  };
  const term = (): Expression => {
    const token = tokens[at];
    if (token?.text === '(') {
      take();
      const inner = sum();
      take(')');
      return inner;
    }
    if (token?.text === '{') return selector('');
    if (token?.kind === 'number') {
      take();
      return { kind: 'number', value: Number(token.text) };
    }
    if (token?.kind !== 'name') return take('a metric') as never;
    take();
    if (peek() !== '(' && peek() !== 'by' && peek() !== 'without') return selector(token.text);
    const before = grouping();
    take('(');
    const args: Expression[] = [];
    while (peek() !== ')') {
      args.push(sum());
      if (peek() === ',') take();
    }
    take(')');
    return { kind: 'call', name: token.text, args, by: before ?? grouping() };
  };
  const product = (): Expression => {
    let left = term();
    while (STRONG.has(peek())) left = { kind: 'binary', op: take().text, left, right: term() };
    return left;
  };
  const sum = (): Expression => {
    depth += 1;
    if (depth > MOST_DEPTH) throw new Unsaid('it is too deep');
    let left = product();
    while (WEAK.has(peek())) left = { kind: 'binary', op: take().text, left, right: product() };
    depth -= 1;
    return left;
  };
  const whole = sum();
  if (at < tokens.length) throw new Unsaid(`it has ${JSON.stringify(peek())}`);
  return whole;
}
