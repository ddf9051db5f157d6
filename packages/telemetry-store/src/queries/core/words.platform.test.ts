import { isUnspaced, parseFilterOrFail, wordsOf } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LOG_TEXT, LOG_WORDS, SPAN_TEXT, SPAN_WORDS } from '../../schema/expressions.ts';
import type { TelemetryStore } from '../../client/types.ts';
import { TEXT_INDEXES } from '../../text-index/text-index.ts';
import { apart } from '../../schema/words-apart.ts';
import { createLogQueries } from '../index.ts';
import { fold, foldedSql } from './fold.ts';
import { Params } from './params.ts';
import { BASE_MS, contextOf, indexing, LIMITS, openQueryBench, type QueryBench, span } from './testing.ts';
import { hasWords, type WordIndex } from './words.ts';

const BEYOND_ASCII = /[\u0080-\uFFFF]/g;
/** JSON as Python writes it by itself. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    BEYOND_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
/** Everything beyond ASCII as JSON escapes it. */
const ascii = (text: string): string => asciiJson(text).slice(1, -1);
const random = (seed: number) => {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647);
};
const TEXTS_COMPARED = 20_000;
const said = (content: string) => [{ role: 'user', parts: [{ type: 'text', content }] }];

const TEXTS = {
  english: 'Never mind.\nRefund the table\tnow, please: everything',
  chinese: '客户要求退款，请用GPT模型处理',
  thai: 'ลูกค้าขอคืนเงินครับ',
  korean: '고객이 환불을 요청했습니다',
  russian: 'Возврат денег за ЗАКАЗ',
  german: 'Über die STRASSE im Müller-Café',
  turkish: 'kapı ve kapi',
  greek: 'ΟΔΟΣ ΟΔΟΣΑ',
  long: Array.from({ length: 60 }, (_, index) => `w${index}`).join(' '),
} as const;

describe.each([
  ['without', false],
  ['with', true],
])('words, %s a text index,', (_, textIndex) => {
  let bench: QueryBench;
  beforeAll(async () => {
    bench = await openQueryBench({ textIndex });
    let own = 1;
    for (const [service, text] of Object.entries(TEXTS)) {
      const prompt = (json: (value: unknown) => string) => ({ 'gen_ai.input.messages': json(said(text)) });
      await bench.put(
        [
          span(own, own, own, { name: 'plain', attributes: prompt(JSON.stringify) }),
          span(own, own + 100, own, { name: 'ascii', attributes: prompt(asciiJson) }),
        ],
        { service },
      );
      await bench.putLogs([{ timeUnixNano: `${BigInt(BASE_MS + own) * 1_000_000n}`, body: text }], {
        service,
      });
      own += 1;
    }
    if (!textIndex) return;
    // What an insert leaves to the first merge.
    for (const table of ['otel_traces', 'otel_logs']) {
      await bench.store.command(`OPTIMIZE TABLE ${table} FINAL`);
      await vi.waitUntil(async () => (await bench.store.snapshot?.())?.indexesWords(table) === true, 20_000);
    }
  });
  afterAll(() => bench.close());

  const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };

  const page = { window, limit: 100, cursor: undefined };

  const written = () => new Params(textIndex ? { store: indexing('otel_traces', 'otel_logs') } : undefined);
  const condition = (text: string, word: string, params: Params, index: WordIndex): string =>
    hasWords(text, word, params, { index }) ?? '';

  async function spansFound(q: string): Promise<string[]> {
    const { data } = await bench.queries.searchSpans(contextOf(), {
      ...page,
      filter: parseFilterOrFail(q, 'spans'),
      sort: 'start',
    });
    return data.map(({ service, name }) => `${service} ${name}`).sort();
  }

  /** What is found: of the log records `service`, of the spans `service name`. */
  async function found(q: string): Promise<string[]> {
    const logs = await createLogQueries(bench.store, LIMITS).search(contextOf(), {
      ...page,
      filter: parseFilterOrFail(q, 'logs'),
      sort: 'time',
    });
    return [...logs.data.map(({ service }) => service), ...(await spansFound(q))].sort();
  }

  const all = (service: keyof typeof TEXTS): string[] => [service, `${service} ascii`, `${service} plain`];

  it.each([
    // Words of scripts without spaces, wherever they stand, in any order.
    ['退款', all('chinese')],
    ['处理 客户', all('chinese')],
    ['"处理，客户"', all('chinese')],
    ['gpt模型', all('chinese')],
    ['退货', []],
    ['คืนเงิน', all('thai')],
    ['환불', all('korean')],
    // Letters beyond ASCII in any case; whole words.
    ['возврат', all('russian')],
    ['ВОЗВРАТ заказ', all('russian')],
    ['возвра', []],
    ['über', all('german')],
    ['ÜBER MÜLLER', all('german')],
    ['CAFÉ strasse', all('german')],
    ['müll', []],
    // The first word of a line of a message is no other word than it is.
    ['refund', all('english')],
    ['REFUND now', all('english')],
    ['never', all('english')],
    ['ever', []],
    ['everything', all('english')],
    ['able', []],
    ['abl', []],
    // Inside of words, too.
    ['*款，请*', all('chinese')],
    ['*РАТ ден*', all('russian')],
    ['*ÉFÉ*', []],
    // Of a field too, a star stands for anything inside of words.
    ['text:ref*', all('english')],
    ['text:*fund', all('english')],
    ['text:"ref"*"und"', all('english')],
    ['text:ref*zz', []],
    ['text:(ref* or KAP*)', [...all('english'), ...all('turkish')].sort()],
    // In quotes it is none, and part of no word.
    ['"ref*"', []],
    ['"refund*"', all('english')],
    // A letter in capitals is no other letter.
    ['kapı', all('turkish')],
    ['KAPI', all('turkish')],
    ['KAPıı', []],
    ['straße', []],
    ['*ß*', []],
    ['*ſ*', []],
    // The two small sigmas are one letter.
    ['οδος', all('greek')],
    ['ΟΔΟΣ', all('greek')],
    ['οδοσα', all('greek')],
    ['text:*"ΟΔΟΣ"*', all('greek')],
    ['text:*"οδος α"*', []],
    ['text:*"ΟΔΟΣ ΟΔΟΣ"*', all('greek')],
    // All words count, however many.
    [`"${Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ')}"`, all('long')],
    [`"${Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ')} absent"`, []],
  ])('%s is found where it occurs', async (q, services) => {
    expect(await found(q)).toEqual(services);
  });

  it('of a filter in JSON have stars as those of a text', async () => {
    const search = (value: string) =>
      bench.queries.searchSpans(contextOf(), {
        ...page,
        filter: { field: 'prompt', op: 'matches', value },
        sort: 'start',
      });
    expect((await search('ref* now')).data).toHaveLength(2);
    expect((await search('ref* no')).data).toHaveLength(0);
    expect((await search('*')).data).toHaveLength(Object.keys(TEXTS).length * 2);
  });

  it('with a star are left out when they are excluded', async () => {
    const rest = await found('-text:ref*');
    expect(rest).not.toContain('english');
    expect(rest).toHaveLength((Object.keys(TEXTS).length - 1) * 3);
    expect(await found('text!=ref*')).toEqual(rest);
  });

  it('leaves out what it finds when it is excluded', async () => {
    const others = Object.keys(TEXTS)
      .filter((service) => service !== 'chinese')
      .flatMap((service) => all(service as keyof typeof TEXTS));
    expect(await found('-退款')).toEqual(others.sort());
  });

  it('are found in one side of a conversation', async () => {
    expect(await spansFound('prompt:退款')).toEqual(['chinese ascii', 'chinese plain']);
    expect(await spansFound('prompt:refund')).toEqual(['english ascii', 'english plain']);
    expect(await spansFound('completion:退款')).toEqual([]);
  });

  it.each([
    ['otel_logs', LOG_TEXT, LOG_WORDS],
    ['otel_traces', SPAN_TEXT, SPAN_WORDS],
  ])(
    'of %s are looked for in the order of a page, and no further than to its end',
    async (table, text, words) => {
      const params = new Params();
      const plan = await bench.store.select<{ explain: string }>(
        `EXPLAIN PIPELINE SELECT Timestamp FROM ${table} WHERE ProjectId = 'default' AND ${condition(text, 'refund', params, { table, words })}
     ORDER BY Timestamp DESC LIMIT 50`,
        params.values,
      );
      const steps = plan.map(({ explain }) => explain.trim());
      expect(steps.join('\n')).toContain('InReverseOrder');
      // What reads ahead in all parts.
      expect(steps.filter((step) => step.startsWith('BufferChunks'))).toEqual([]);
    },
  );

  it.each([
    ['otel_logs', LOG_TEXT, LOG_WORDS],
    ['otel_traces', SPAN_TEXT, SPAN_WORDS],
  ])('of %s that are absent are passed by with the token index', async (table, text, words) => {
    // What an insert leaves to the first merge.
    await bench.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    for (const word of wordsOf('absent fehlt-überall ψόφοι')) {
      const params = written();
      const plan = await bench.store.select<{ explain: string }>(
        `EXPLAIN indexes = 1 SELECT count() FROM ${table} WHERE ${condition(text, word, params, { table, words })}`,
        params.values,
      );
      const lines = plan.map(({ explain }) => explain.trim());
      const at = lines.findIndex((line) =>
        textIndex
          ? TEXT_INDEXES.some((name) => line === `Name: ${name}`)
          : /^Name: idx_(?:content|body)$/.test(line),
      );
      expect(at, lines.join('\n')).toBeGreaterThan(0);
      expect(lines.slice(at, at + 5).find((line) => line.startsWith('Granules:'))).toMatch(/^Granules: 0\//);
    }
  });

  it.runIf(textIndex).each([
    ['otel_logs', 'Timestamp', LOG_TEXT, LOG_WORDS, /\bBody\b/],
    ['otel_traces', 'Timestamp', SPAN_TEXT, SPAN_WORDS, /\bContentAttributes\b/],
    ['otel_traces', 'Duration', SPAN_TEXT, SPAN_WORDS, /\bContentAttributes\b/],
  ])(
    'of %s are told by the index where the first rows by %s are wanted',
    async (table, order, text, words, texts) => {
      const params = written();
      const read = hasWords(text, 'fehlt', params, { index: { table, words } });
      const plan = await bench.store.select<{ explain: string }>(
        `EXPLAIN actions = 1 SELECT TraceId FROM ${table} WHERE ${read} ORDER BY ${order} DESC LIMIT 51`,
        params.values,
        { usesTextIndex: params.usesTextIndex },
      );
      const outputs = plan.map(({ explain }) => explain).filter((line) => line.includes('Output:'));
      expect(outputs.length).toBeGreaterThan(0);
      expect(outputs.join('\n')).not.toMatch(texts);
    },
  );
});

let store: TelemetryStore;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openQueryBench());
});
afterAll(() => close());

it('are folded as the engine does it, whatever stands around a letter', async () => {
  const hard = [...'ıIiİσςΣßẞſSsKkÅåÇçǅǆﬁŉΐΑαẍЖжՖֆ\u0345\u0307. -aZ9'];
  const next = random(7);
  const texts = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + (next() % 6) }, () => hard[next() % hard.length]).join(''),
  );
  const [row] = await store.select<{ Folded: string[] }>(
    `SELECT arrayMap(text -> ${foldedSql('text', 'σ')}, {texts:Array(String)}) AS Folded`,
    { texts },
  );
  expect(row?.Folded).toEqual(texts.map(fold));
});

it('are compared in one lower case: that of the engine is that of what is looked for', async () => {
  const letters = Array.from({ length: 0x10_ffff }, (_, index) => index + 1)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((letter) => letter.toLowerCase() !== letter);
  expect(letters).toContain('\u0130');
  const [row] = await store.select<{ Lower: string[] }>(
    'SELECT arrayMap(letter -> lowerUTF8(letter), {letters:Array(String)}) AS Lower',
    { letters },
  );
  expect(row?.Lower).toEqual(letters.map((letter) => letter.toLowerCase()));
});

it('that a pattern finds are those that an index finds', async () => {
  const letters = [
    'refund',
    'zoltán',
    'new',
    'n',
    't',
    'ÉTÉ',
    'Straße',
    'ı',
    '9',
    'GPT',
    '退款',
    '\u00e9',
    'u00e1',
    'nrefund',
    'ΟΔΟΣ',
  ];
  const signs = [
    ' ',
    '“',
    '”',
    '—',
    '’',
    '…',
    '€',
    '✅',
    '𝐚',
    '\u00a0',
    '_',
    '-',
    '.',
    '"',
    '\n',
    '\t',
    '{',
    '/',
    '\u001b[31m',
    '\u001b[0m',
  ];
  const written = [
    '\\n',
    '\\t',
    '\\',
    '\\\\',
    '\\"',
    '\\u00e1',
    '\\u00C9',
    '\\u201c',
    '\\u2014',
    '\\ud83d\\ude00',
    '\\u0041',
    '\\u003c',
    '\\u12',
    '\\u',
    '\\u9000',
    '\\u0022',
    '\\r',
    '\\f',
    '\\x1b[1m',
    '\\u001b[1m',
    '\\u00df',
    '\\u0430',
  ];
  const pieces = [...letters, ...letters, ...signs, ...written, ...[...letters, ...signs].map(ascii)];
  const words = [...new Set(wordsOf([...letters, 'été', 'áb', 'а', 'ew', 'efund', '31mrefund'].join(' ')))];
  const next = random(11);
  const texts = Array.from({ length: TEXTS_COMPARED }, () =>
    Array.from({ length: 1 + (next() % 9) }, () => pieces[next() % pieces.length]).join(''),
  );
  let found = 0;
  for (const word of words.filter((one) => !isUnspaced(one))) {
    const params = new Params({ store: indexing('any') });
    const read = hasWords('lower(one)', word, params);
    const told = hasWords('lower(one)', word, params, {
      index: { table: 'any', words: apart('lower(one)') },
    });
    const [row] = await store.select<{ Read: number[]; Indexed: number[] }>(
      `SELECT arrayMap(one -> toUInt8(${read}), {texts:Array(String)}) AS Read,
         arrayMap(one -> toUInt8(${told}), {texts:Array(String)}) AS Indexed`,
      { ...params.values, texts },
    );
    const differ = texts.filter((_, at) => row?.Read[at] !== row?.Indexed[at]);
    expect(differ.slice(0, 5), word).toEqual([]);
    found += row?.Read.filter(Boolean).length ?? 0;
  }
  expect(found).toBeGreaterThan(10_000);
});
