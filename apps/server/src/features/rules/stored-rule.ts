import { ruleDefinitionSchema } from '@candela/contract';
import {
  InvalidRule,
  pathText,
  prepare,
  type PreparedRule,
  type Rule,
  type RuleTrouble,
  validate,
} from '@candela/rules';

interface Trouble {
  /** What keeps the rule from being used, in a sentence. */
  readonly trouble: string;
}

/** A stored rule by its shape: its values may still be what no operator can use. */
function shapeOf(definition: unknown): { readonly rule: Rule } | Trouble {
  const parsed = ruleDefinitionSchema.safeParse(definition);
  return parsed.success ? { rule: parsed.data } : { trouble: 'What is stored is no rule. Save it again.' };
}

const sentenceOf = ({ path, message }: RuleTrouble): string => `${pathText(path)}: ${message}`;

/** A stored rule that can be used, or what keeps it from that. */
export function troubleOf(definition: unknown): { readonly rule: Rule } | Trouble {
  const read = shapeOf(definition);
  if ('trouble' in read) return read;
  const [first] = validate(read.rule);
  return first === undefined ? read : { trouble: sentenceOf(first) };
}

/** The same, ready to be asked. */
export function readyRule(definition: unknown): { readonly rule: PreparedRule } | Trouble {
  const read = shapeOf(definition);
  if ('trouble' in read) return read;
  try {
    return { rule: prepare(read.rule) };
  } catch (thrown) {
    if (!(thrown instanceof InvalidRule)) throw thrown;
    const [first] = thrown.troubles;
    return { trouble: first === undefined ? thrown.message : sentenceOf(first) };
  }
}
