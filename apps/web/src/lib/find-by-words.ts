/** Of a list, those whose text has every word; those whose text begins with the first word lead. */
export function findByWords<Item>(
  items: readonly Item[],
  typed: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return items;
  const found = items.flatMap((item) => {
    const text = textOf(item).toLowerCase();
    return words.every((word) => text.includes(word)) ? [{ item, leads: text.startsWith(first) }] : [];
  });
  return [...found.filter(({ leads }) => leads), ...found.filter(({ leads }) => !leads)].map(
    ({ item }) => item,
  );
}
