import { Ajv } from 'ajv';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { defineKind, type Outcome, yes } from './kind.ts';

const MAX_SCHEMA = 65_536;

function parsed(output: string): { readonly value: unknown } | { readonly trouble: string } {
  const text = output.trim().replace(/^```(?:json)?\s*\n([\s\S]*?)\n?```$/, '$1');
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (thrown) {
    return { trouble: `Not JSON: ${(thrown as Error).message.slice(0, 200)}` };
  }
}

/** The answer is JSON. */
export const jsonValid = defineKind({
  id: 'json_valid',
  label: 'Valid JSON',
  description: 'The answer is one JSON value; a code fence around it is passed over.',
  settings: z.strictObject({}),
  prepare:
    () =>
    ({ output }) => {
      const read = parsed(output);
      return 'trouble' in read ? yes(false, read.trouble) : yes(true, 'Valid JSON.');
    },
});

/** RE2 in place of the engine's own expressions: linear in the text. */
const regExp = Object.assign(
  (pattern: string) => {
    const expression = RE2JS.compile(pattern);
    return { test: (text: string) => expression.test(text) };
  },
  { code: 'RE2' },
);

/** A check of values against a schema: no remote references, RE2 for patterns. @throws an Error with a sentence */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
): (value: unknown) => string | undefined {
  if (JSON.stringify(schema).length > MAX_SCHEMA) throw new Error('A schema takes 64 kB.');
  const check = new Ajv({ strict: true, allErrors: false, code: { regExp } }).compile(schema);
  return (value) => {
    if (check(value)) return undefined;
    const [first] = check.errors ?? [];
    return `${first?.instancePath || 'The value'} ${first?.message ?? 'does not fit'}.`;
  };
}

/** The answer is JSON that fits a schema. */
export const jsonSchema = defineKind({
  id: 'json_schema',
  label: 'Fits a JSON Schema',
  description: 'The answer is JSON that fits the schema; references to other documents are refused.',
  settings: z.strictObject({ schema: z.record(z.string(), z.unknown()) }),
  prepare({ schema }) {
    const check = compileSchema(schema);
    return ({ output }): Outcome => {
      const read = parsed(output);
      if ('trouble' in read) return yes(false, read.trouble);
      const trouble = check(read.value);
      return yes(trouble === undefined, trouble ?? 'The answer fits the schema.');
    };
  },
});
