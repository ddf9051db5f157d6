import { PRICE_LIST } from '@candela/semconv';

const NAMES: ReadonlySet<string> = new Set(
  PRICE_LIST.providers.flatMap(({ models }) =>
    models.flatMap(({ model, aliases = [] }) => [model, ...aliases]),
  ),
);

/** Whether any provider of the price list has a model of this name, dated suffixes and provider prefixes aside. */
export function hasPrice(name: string): boolean {
  const bare = name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|preview|exp)$/, '');
  return NAMES.has(name) || NAMES.has(bare) || NAMES.has(bare.replace(/-\d{3}$/, ''));
}
