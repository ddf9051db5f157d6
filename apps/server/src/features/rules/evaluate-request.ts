import { ENTITY_TYPES, type EntityType, EVALUATE_LIMITS } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Fields, FieldValue } from '@candela/rules';
import type { EntityInputs } from './entities/entity.ts';

/** What an application asks. */
export interface EvaluateRequest {
  readonly entityType: EntityType;
  readonly fields: Fields;
  readonly includeData: boolean;
  readonly inputs: EntityInputs;
}

const bad = (detail: string) => fail('bad_request', { detail });
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEntityType = (value: unknown): value is EntityType => ENTITY_TYPES.some((type) => type === value);
const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

/**
 * Reads a request in the order in which its sentences are promised: type, fields, their number, each of them. What is
 * not known is passed over. @throws bad_request
 */
export function readEvaluateRequest(body: Readonly<Record<string, unknown>>): EvaluateRequest {
  const { entity_type: entityType, fields, include_entity_data: include, entity_inputs: inputs } = body;
  if (!isEntityType(entityType)) {
    throw bad('entity_type is required and must be one of context, prompt, evaluation.');
  }
  return {
    entityType,
    fields: fieldsOf(fields),
    includeData: include === true,
    inputs: inputsOf(isObject(inputs) ? inputs : {}),
  };
}

function fieldsOf(given: unknown): Fields {
  if (!isObject(given)) {
    throw bad('fields is required and must be an object: names of fields with a text, number or boolean.');
  }
  const pairs = Object.entries(given);
  if (pairs.length > EVALUATE_LIMITS.fields) {
    throw bad(`fields holds ${pairs.length} names; at most ${EVALUATE_LIMITS.fields} are taken.`);
  }
  const fields = new Map<string, FieldValue>();
  for (const [name, value] of pairs) {
    const key = name.trim();
    if (key.length < 1 || key.length > EVALUATE_LIMITS.key) {
      throw bad(
        `The name of a field has 1 to ${EVALUATE_LIMITS.key} characters; ${shown(key)} has ${key.length}.`,
      );
    }
    const read = valueOf(key, value);
    if (read !== undefined) fields.set(key, read);
  }
  if (fields.size === 0) throw bad('fields holds no name with a value. Send at least one.');
  return fields;
}

/** Null counts as not sent, as clients send what they do not know. */
function valueOf(key: string, value: unknown): FieldValue | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') {
    if (value.length <= EVALUATE_LIMITS.value) return value;
    throw bad(
      `The value of the field ${shown(key)} has ${value.length} characters; at most ${EVALUATE_LIMITS.value} are taken.`,
    );
  }
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  const what =
    typeof value === 'number' ? 'too large a number' : Array.isArray(value) ? 'a list' : 'an object';
  throw bad(`The value of the field ${shown(key)} is ${what}; a text, number or boolean is taken.`);
}

/** Prompts are compiled unless that is turned off, in any of the spellings clients use. */
function inputsOf(given: Readonly<Record<string, unknown>>): EntityInputs {
  const { variables, version } = given;
  const compile = given['shouldCompile'] ?? given['should_compile'] ?? given['compile'];
  return {
    variables: isObject(variables) ? variables : {},
    version: typeof version === 'string' ? version : undefined,
    compile: compile !== false,
  };
}
