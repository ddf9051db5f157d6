import { FILTER_LIMITS, FILTER_OPS } from './ast.ts';
import { canonicalFilter } from './canonical.ts';

const GROUPS = ['and', 'or', 'not'] as const;
const SHAPES =
  'A condition is {"field":"service","op":"=","value":"checkout"}; conditions are joined as {"and":[...]}, {"or":[...]} and {"not":...}.';
const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);
const OPS: ReadonlySet<unknown> = new Set(FILTER_OPS);

const MOST_SHOWN = 80;

/** A value in a sentence. Of lists and objects, which may be as large as a request, not what is in them. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MOST_SHOWN)) : String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is wrong with the shape of a filter in JSON, the first thing that is: with the path of the condition and what it
 * takes. Undefined when nothing is.
 */
export function shapeTrouble(value: unknown, path = ''): string | undefined {
  let node = value;
  let here = path;
  // Down a chain of `not` without a call for each: there may be thousands.
  while (isObject(node) && 'not' in node && Object.keys(node).length === 1) {
    here = member(here, 'not');
    node = node['not'];
  }
  const at = here === '' ? '' : `At ${here}: `;
  if (!isObject(node)) return `${at}This is no condition but ${shown(node)}. ${SHAPES}`;
  const group = GROUPS.find((name) => name in node);
  if (group === undefined) {
    const trouble = conditionTrouble(node);
    return trouble === undefined ? undefined : `${at}${trouble}`;
  }
  const others = Object.keys(node).filter((name) => name !== group);
  if (others.length > 0) return `${at}"${group}" stands alone, without ${shown(others[0])}. ${SHAPES}`;
  const items = node[group];
  if (!Array.isArray(items) || items.length === 0 || items.length > FILTER_LIMITS.conditions) {
    return `${at}"${group}" takes a list of 1 to ${FILTER_LIMITS.conditions} conditions.`;
  }
  for (const [index, item] of items.entries()) {
    const trouble = shapeTrouble(item, `${member(here, group)}[${index}]`);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** A path with one more name; of a long one the beginning and the end. */
function member(path: string, name: string): string {
  const longer = path === '' ? name : `${path}.${name}`;
  return longer.length > 120
    ? `${longer.slice(0, 40)}...${longer.slice(-60).replace(/^.*?\.(?=[a-z])/, '')}`
    : longer;
}

function conditionTrouble(node: Readonly<Record<string, unknown>>): string | undefined {
  const { field, op, value, ...others } = node;
  const [other] = Object.keys(others);
  if (other !== undefined) return `A condition has no ${shown(other)}. ${SHAPES}`;
  if (field === undefined && op === undefined) return `This is no condition. ${SHAPES}`;
  if (typeof field !== 'string' || field === '')
    return `"field" is the name of a field, not ${shown(field)}.`;
  if (field.length > FILTER_LIMITS.fieldLength) {
    return `"field" has at most ${FILTER_LIMITS.fieldLength} characters.`;
  }
  if (!OPS.has(op)) return operatorTrouble(field, op);
  return valueTrouble(field, value);
}

/** What the field takes, where it is one. */
function operatorTrouble(field: string, op: unknown): string {
  const takes = `"op" is one of ${FILTER_OPS.join(', ')}`;
  if (typeof op !== 'string') return `${takes}, not ${shown(op)}.`;
  try {
    // Of a field that there is, this fails by saying what it takes.
    canonicalFilter({ field, op: op as never });
    return `${takes}, not ${shown(op)}.`;
  } catch (error) {
    return error instanceof Error ? error.message : takes;
  }
}

function valueTrouble(field: string, value: unknown): string | undefined {
  const { listLength, textLength } = FILTER_LIMITS;
  const name = `"value" of the condition on ${shown(field)}`;
  if (value === undefined) return undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.length > listLength) {
    return `${name} is a list of 1 to ${listLength} values, not of ${values.length}.`;
  }
  const odd = values.findIndex((one) => !SCALARS.has(typeof one));
  if (odd >= 0) {
    return `${name} is a text, a number, true, false or a list of these, not ${shown(values[odd])}. Rows without the field are found with "not_exists".`;
  }
  const long = values.some((one) => typeof one === 'string' && one.length > textLength);
  return long ? `${name} has a text longer than ${textLength.toLocaleString('en')} characters.` : undefined;
}
