import { RULE_ROUTES } from '@candela/contract';
import type { RuleFeatureParts } from './ready.ts';
import type { RuleHandlers } from './routes.ts';

/**
 * Rules, made ready when they are first asked about: with the operators comes a library of regular expressions, 6 MiB that
 * an installation without rules has no use for.
 */
export function createRuleFeature(parts: RuleFeatureParts): RuleHandlers {
  let ready: Promise<RuleHandlers> | undefined;
  const load = (): Promise<RuleHandlers> => {
    ready ??= import('./ready.ts').then(({ readyRules }) => readyRules(parts));
    return ready;
  };
  const handlers = Object.keys(RULE_ROUTES).map((id) => [
    id,
    async (input: unknown) => {
      const handle = (await load())[id as keyof RuleHandlers] as (input: unknown) => unknown;
      return handle(input);
    },
  ]);
  // One wrapper for each of its routes: the types of all of them cannot be carried through a loop.
  return Object.fromEntries(handlers) as RuleHandlers;
}
