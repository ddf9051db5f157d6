import { RE2JS } from 're2js';
import { z } from 'zod';
import { defineKind, shown, yes } from './kind.ts';

const phrase = z.string().min(1).max(1_000);
const flags = { ignoreCase: z.boolean().default(true) };
const folded = (text: string, ignoreCase: boolean) => (ignoreCase ? text.toLowerCase() : text);

/** The answer is the expected text. */
export const equals = defineKind({
  id: 'equals',
  label: 'Equals',
  description: 'The answer is the text of the settings, or the expected output of the item.',
  settings: z.strictObject({ text: z.string().max(100_000).optional(), ...flags }),
  prepare:
    ({ text, ignoreCase }) =>
    (subject) => {
      const wanted = text ?? subject.expected;
      if (wanted === undefined) return { skip: 'There is no expected output.' };
      const same = folded(subject.output.trim(), ignoreCase) === folded(wanted.trim(), ignoreCase);
      return yes(
        same,
        same ? 'The answer is as expected.' : `Expected ${shown(wanted)}, got ${shown(subject.output)}.`,
      );
    },
});

/** The answer contains any, all or none of some phrases. */
export const contains = defineKind({
  id: 'contains',
  label: 'Contains',
  description: 'The answer contains any, all or none of the phrases.',
  settings: z.strictObject({
    phrases: z.array(phrase).min(1).max(100),
    mode: z.enum(['any', 'all', 'none']).default('all'),
    ...flags,
  }),
  prepare: ({ phrases, mode, ignoreCase }) => {
    const wanted = phrases.map((one) => folded(one, ignoreCase));
    return ({ output }) => {
      const text = folded(output, ignoreCase);
      const found = phrases.filter((_, at) => text.includes(wanted[at] ?? ''));
      const told =
        found.length === 0 ? 'None of the phrases is there.' : `There: ${found.map(shown).join(', ')}.`;
      if (mode === 'any') return yes(found.length > 0, told);
      return yes(mode === 'none' ? found.length === 0 : found.length === phrases.length, told);
    };
  },
});

/** The answer starts or ends with a text. */
export const edges = defineKind({
  id: 'starts_ends',
  label: 'Starts or ends with',
  description: 'The answer starts with one text and ends with another; either may be left out.',
  settings: z.strictObject({
    start: z.string().max(1_000).default(''),
    end: z.string().max(1_000).default(''),
    ...flags,
  }),
  prepare:
    ({ start, end, ignoreCase }) =>
    ({ output }) => {
      const text = folded(output.trim(), ignoreCase);
      const starts = text.startsWith(folded(start, ignoreCase));
      const ends = text.endsWith(folded(end, ignoreCase));
      return yes(
        starts && ends,
        `The answer ${starts ? 'starts' : 'does not start'} and ${ends ? 'ends' : 'does not end'} as told.`,
      );
    },
});

/** A regular expression of RE2 matches. */
export const regex = defineKind({
  id: 'regex',
  label: 'Matches',
  description: 'A regular expression of RE2 matches somewhere in the answer, or with `absent` nowhere.',
  settings: z.strictObject({ pattern: z.string().min(1).max(1_000), absent: z.boolean().default(false) }),
  prepare: ({ pattern, absent }) => {
    const expression = RE2JS.compile(pattern);
    return ({ output }) => {
      const found = expression.test(output);
      return yes(found !== absent, found ? 'The pattern matches.' : 'The pattern does not match.');
    };
  },
});

const REFUSALS = [
  "i can't help",
  'i cannot help',
  "i can't assist",
  'i cannot assist',
  "i'm unable to",
  'i am unable to',
  "i'm sorry, but i can",
  'i won’t be able to',
  'as an ai language model',
  'i cannot comply',
  "i can't comply",
];

/** The answer refuses, by the words of refusals. */
export const refusal = defineKind({
  id: 'refusal',
  label: 'No refusal',
  description: 'The answer holds none of the words by which models refuse.',
  settings: z.strictObject({ phrases: z.array(phrase).max(100).default([]) }),
  prepare: ({ phrases }) => {
    const all = [...REFUSALS, ...phrases.map((one) => one.toLowerCase())];
    return ({ output }) => {
      const text = output.toLowerCase().replaceAll('’', "'");
      const found = all.find((one) => text.includes(one.replaceAll('’', "'")));
      return yes(
        found === undefined,
        found === undefined ? 'No refusal.' : `The answer says ${shown(found)}.`,
      );
    };
  },
});

const URL_START = /https?:\/\/([^\s/"'<>)\]]{1,255})/gi;

/** Every link goes to an allowed host. */
export const urls = defineKind({
  id: 'url_allow_list',
  label: 'Links only to',
  description: 'Every http and https link of the answer goes to one of the hosts or below it.',
  settings: z.strictObject({ hosts: z.array(z.string().min(1).max(255)).min(1).max(200) }),
  prepare: ({ hosts }) => {
    const allowed = hosts.map((host) => host.toLowerCase());
    return ({ output }) => {
      const others = [...output.matchAll(URL_START)]
        .map(([, authority = '']) => (authority.split('@').pop() ?? '').split(':')[0]?.toLowerCase() ?? '')
        .filter((host) => !allowed.some((one) => host === one || host.endsWith(`.${one}`)));
      return yes(
        others.length === 0,
        others.length === 0
          ? 'All links are allowed.'
          : `Not allowed: ${others.slice(0, 5).map(shown).join(', ')}.`,
      );
    };
  },
});
