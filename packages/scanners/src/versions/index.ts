import type { Ecosystem } from '../types.ts';

type Compare = (a: string, b: string) => number;

const order = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Semantic versions 2.0.0, section 11; build metadata is left out. Also for Go, whose pseudo versions are pre-releases. */
const semver: Compare = (a, b) => {
  const parse = (text: string) => {
    const [core = '', ...pre] = text.replace(/^v/, '').split('+')[0]?.split('-') ?? [];
    return { numbers: core.split('.').map((part) => Number(part) || 0), pre: pre.join('-') };
  };
  const [x, y] = [parse(a), parse(b)];
  for (let at = 0; at < 3; at += 1) {
    const result = order(x.numbers[at] ?? 0, y.numbers[at] ?? 0);
    if (result !== 0) return result;
  }
  if (x.pre === '' || y.pre === '') return order(x.pre === '' ? 1 : 0, y.pre === '' ? 1 : 0);
  const [left, right] = [x.pre.split('.'), y.pre.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [l, r] = [left[at], right[at]];
    if (l === undefined || r === undefined) return l === undefined ? -1 : 1;
    const [nl, nr] = [/^\d+$/.test(l), /^\d+$/.test(r)];
    const result = nl && nr ? order(Number(l), Number(r)) : nl !== nr ? (nl ? -1 : 1) : order(l, r);
    if (result !== 0) return result;
  }
  return 0;
};

const PEP440 =
  /^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)[-_.]?(?:(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:[-_.]?(post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+[a-z0-9._-]+)?\s*$/i;
const PHASE: Readonly<Record<string, number>> = {
  a: 0,
  alpha: 0,
  b: 1,
  beta: 1,
  c: 2,
  rc: 2,
  pre: 2,
  preview: 2,
};

/** PEP 440: epoch, release, pre, post, dev. What is no version comes first. */
const pep440: Compare = (a, b) => {
  const key = (text: string): number[] => {
    const match = PEP440.exec(text);
    if (match === null) return [-1];
    const [, epoch = '0', release = '0', pre, preNumber, post, postNumber, implicitPost, dev, devNumber] =
      match;
    const numbers = release.split('.').map(Number);
    const padded = Array.from({ length: 8 }, (_, at) => numbers[at] ?? 0);
    const hasPost = post !== undefined || implicitPost !== undefined;
    const phase =
      pre !== undefined ? (PHASE[pre.toLowerCase()] ?? 2) : dev !== undefined && !hasPost ? -1 : 3;
    return [
      Number(epoch),
      ...padded,
      phase,
      Number(preNumber ?? 0),
      hasPost ? 1 : 0,
      Number(postNumber ?? implicitPost ?? 0),
      dev === undefined ? 1 : 0,
      Number(devNumber ?? 0),
    ];
  };
  const [x, y] = [key(a), key(b)];
  for (let at = 0; at < Math.max(x.length, y.length); at += 1) {
    const result = order(x[at] ?? 0, y[at] ?? 0);
    if (result !== 0) return result;
  }
  return 0;
};

const MAVEN_QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const MAVEN_ALIASES: Readonly<Record<string, string>> = {
  a: 'alpha',
  b: 'beta',
  m: 'milestone',
  cr: 'rc',
  ga: '',
  final: '',
  release: '',
};

/** Maven's ComparableVersion: numbers, then known qualifiers, then others by name. */
const maven: Compare = (a, b) => {
  const parts = (text: string): (number | string)[] => {
    const found: (number | string)[] = [];
    const trim = () => {
      while (found.at(-1) === 0 || found.at(-1) === '') found.pop();
    };
    for (const part of text.toLowerCase().split(/[.-]|(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)/)) {
      // 1.0-alpha is 1-alpha: zeros before a qualifier count as little as those at the end.
      if (!/^\d+$/.test(part)) trim();
      found.push(/^\d+$/.test(part) ? Number(part) : (MAVEN_ALIASES[part] ?? part));
    }
    trim();
    return found;
  };
  const rank = (part: number | string | undefined): number =>
    part === undefined
      ? MAVEN_QUALIFIERS.indexOf('')
      : typeof part === 'number'
        ? 1_000
        : MAVEN_QUALIFIERS.includes(part)
          ? MAVEN_QUALIFIERS.indexOf(part)
          : 100;
  const [x, y] = [parts(a), parts(b)];
  for (let at = 0; at < Math.max(x.length, y.length); at += 1) {
    const [l, r] = [x[at], y[at]];
    const ranked = order(rank(l), rank(r));
    if (ranked !== 0) return ranked;
    const result =
      typeof l === 'number' && typeof r === 'number' ? order(l, r) : order(String(l ?? ''), String(r ?? ''));
    if (result !== 0) return result;
  }
  return 0;
};

const ORDERS: Readonly<Record<Ecosystem, Compare>> = {
  npm: semver,
  PyPI: pep440,
  Go: semver,
  'crates.io': semver,
  Maven: maven,
};

/** Below 0: `a` is older. The order of the ecosystem. */
export const compareVersions = (ecosystem: Ecosystem, a: string, b: string): number =>
  ORDERS[ecosystem](a, b);
