import Papa from 'papaparse';
import { parse as parseYaml } from 'yaml';
import { createHash } from 'node:crypto';
import { isMap } from './values.ts';

/** An item as a file has it. `id` undefined: it has none. */
export interface ImportedItem {
  readonly id: string | undefined;
  readonly input: unknown;
  readonly expectedOutput: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly sourceTraceId?: string | null;
  readonly sourceSpanId?: string | null;
  readonly status?: 'ACTIVE' | 'ARCHIVED';
}
export interface Imported {
  readonly items: readonly ImportedItem[];
  readonly errors: readonly { readonly line: number; readonly message: string }[];
}
export interface ImportColumns {
  readonly input?: string | undefined;
  readonly expectedOutput?: string | undefined;
}

const MOST_ERRORS = 100;
const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

/** Items of JSON lines, each read by `read`; a bad line is named and the others are taken. */
function lines(text: string, read: (value: Readonly<Record<string, unknown>>) => ImportedItem): Imported {
  const items: ImportedItem[] = [];
  const errors: { line: number; message: string }[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(line);
      if (!isMap(value)) throw new Error('A line is a JSON object.');
      items.push(read(value));
    } catch (thrown) {
      if (errors.length < MOST_ERRORS)
        errors.push({ line: at + 1, message: (thrown as Error).message.slice(0, 300) });
    }
  }
  return { items, errors };
}

/** Own lines and those of Langfuse: `{id?, input, expectedOutput?, metadata?}`. */
function ownLine(value: Readonly<Record<string, unknown>>): ImportedItem {
  if (!('input' in value)) throw new Error('"input" is missing.');
  const {
    id,
    input,
    expectedOutput = null,
    metadata,
    sourceTraceId,
    sourceObservationId,
    sourceSpanId,
    status,
  } = value;
  return {
    id: textOr(id),
    input,
    expectedOutput,
    metadata: isMap(metadata) ? metadata : null,
    sourceTraceId: textOr(sourceTraceId) ?? null,
    sourceSpanId: textOr(sourceSpanId) ?? textOr(sourceObservationId) ?? null,
    status: status === 'ARCHIVED' ? 'ARCHIVED' : 'ACTIVE',
  };
}

/** OpenAI evals: `{"item": {...}}`, or chats `{"messages": [...]}` of which the last answer is what is expected. */
function openaiLine(value: Readonly<Record<string, unknown>>): ImportedItem {
  const { item, messages } = value;
  if (isMap(item)) {
    const { expected, expected_output, reference_answer, ideal, ...input } = item;
    return {
      id: undefined,
      input,
      expectedOutput: expected ?? expected_output ?? reference_answer ?? ideal ?? null,
      metadata: null,
    };
  }
  if (!Array.isArray(messages) || messages.length === 0)
    throw new Error('Neither "item" nor "messages" is there.');
  const last: unknown = messages.at(-1);
  const isAnswer = isMap(last) && last['role'] === 'assistant';
  return {
    id: undefined,
    input: { messages: isAnswer ? messages.slice(0, -1) : messages },
    expectedOutput: isAnswer ? (last['content'] ?? null) : null,
    metadata: null,
  };
}

function csv(text: string, { input, expectedOutput }: ImportColumns, expectedPrefix?: string): Imported {
  const { data, errors, meta } = Papa.parse<Record<string, string>>(text.replace(/^\uFEFF/, ''), {
    header: true,
    skipEmptyLines: 'greedy',
  });
  const absent = [input, expectedOutput].find((name) => name !== undefined && !meta.fields?.includes(name));
  if (absent !== undefined)
    return { items: [], errors: [{ line: 1, message: `There is no column "${absent}".` }] };
  const items = data.map((row): ImportedItem => {
    const values = Object.entries(row).filter(([key]) => key !== '__parsed_extra');
    const isExpected = (key: string) =>
      key === expectedOutput || (expectedPrefix !== undefined && key.startsWith(expectedPrefix));
    const expected = values.filter(([key]) => isExpected(key)).map(([, value]) => value);
    const others = values.filter(([key]) => !isExpected(key) && key !== 'id');
    const chosen = input === undefined ? undefined : row[input];
    return {
      id: textOr(row['id']),
      input: chosen ?? Object.fromEntries(others),
      expectedOutput: expected.length === 0 ? null : expected.length === 1 ? expected[0] : expected,
      metadata: chosen === undefined ? null : Object.fromEntries(others.filter(([key]) => key !== input)),
    };
  });
  return {
    items,
    errors: errors.slice(0, MOST_ERRORS).map(({ row, message }) => ({ line: (row ?? 0) + 2, message })),
  };
}

/** Assertions of promptfoo that are code or read files. */
const CODE = /^(?:not-)?(?:javascript|python|ruby)$/;

/** promptfoo: a YAML or JSON document with `tests`, or CSV with `__expected` columns. Code and files are refused by name. */
function promptfoo(text: string): Imported {
  const isCsv = !/^\s*(?:[[{]|tests\s*:|-\s|#|\w+\s*:)/.test(text);
  if (isCsv) return csv(text, {}, '__expected');
  const document: unknown = parseYaml(text, { maxAliasCount: 100 });
  const tests: unknown = Array.isArray(document) ? document : isMap(document) ? document['tests'] : undefined;
  if (!Array.isArray(tests))
    return { items: [], errors: [{ line: 1, message: 'There is no list "tests".' }] };
  const items: ImportedItem[] = [];
  const errors: { line: number; message: string }[] = [];
  for (const [at, test] of tests.entries()) {
    const refuse = (message: string) => errors.push({ line: at + 1, message: `Test ${at + 1}: ${message}` });
    if (!isMap(test)) {
      refuse(
        typeof test === 'string' && test.startsWith('file://') ? 'file:// is not read.' : 'It is no object.',
      );
      continue;
    }
    const { vars, assert, description } = test;
    const asserts = Array.isArray(assert) ? assert.filter(isMap) : [];
    const code = asserts.find(({ type }) => CODE.test(String(type)));
    if (code !== undefined) refuse(`the assertion "${String(code['type'])}" is code and is not run.`);
    else if (JSON.stringify(test).includes('"file://')) refuse('file:// is not read.');
    else {
      const equal = asserts.find(({ type }) => type === 'equals');
      items.push({
        id: undefined,
        input: isMap(vars) ? vars : {},
        expectedOutput: equal?.['value'] ?? null,
        metadata: {
          ...(typeof description === 'string' ? { description } : {}),
          ...(asserts.length === 0 ? {} : { assert: asserts }),
        },
      });
    }
  }
  return { items, errors: errors.slice(0, MOST_ERRORS) };
}

/** Reads items out of a file of a format. Never throws: what cannot be read is an error with its line. */
export function readItems(format: string, text: string, columns: ImportColumns): Imported {
  try {
    if (format === 'csv') return csv(text, columns);
    if (format === 'openai') return lines(text, openaiLine);
    if (format === 'promptfoo') return promptfoo(text);
    const whole = text.trimStart();
    // Langfuse also hands out one list.
    if (format === 'langfuse' && whole.startsWith('[')) {
      const list = JSON.parse(whole) as unknown[];
      return lines(list.map((one) => JSON.stringify(one)).join('\n'), ownLine);
    }
    return lines(text, ownLine);
  } catch (thrown) {
    return { items: [], errors: [{ line: 1, message: (thrown as Error).message.slice(0, 300) }] };
  }
}

/** The id of an item that has none: the same input is the same item. */
export const idOf = (item: ImportedItem): string =>
  item.id ??
  createHash('sha256')
    .update(JSON.stringify([item.input, item.expectedOutput]))
    .digest('hex')
    .slice(0, 24);

/** Bars a spreadsheet from taking a text for a formula. */
const cell = (value: unknown): string => {
  const text =
    typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;
