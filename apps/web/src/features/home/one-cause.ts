/** What a line about an exception is made of. */
interface Told {
  readonly type: string;
  readonly message: string;
}

/** Fewer stand for themselves. */
const LEAST_ALIKE = 3;
/** As many words of two messages have to be the same, each in its place. */
const LEAST_SAME = 0.6;
/** Words that are looked at. */
const MOST_WORDS = 40;

/**
 * Exceptions in their order, three or more of one cause together where the first of them stands: of one type, with
 * messages that differ in a word here and there: `user ann has no seat`, `user bob has no seat`.
 */
export function byCause<Exception extends Told>(
  exceptions: readonly Exception[],
): [Exception, ...Exception[]][] {
  const causes: { words: readonly string[]; all: [Exception, ...Exception[]] }[] = [];
  for (const exception of exceptions) {
    const words = wordsOf(exception.message);
    const cause = causes.find(
      ({ all: [first], words: of }) => first.type === exception.type && isAlike(of, words),
    );
    if (cause === undefined) causes.push({ words, all: [exception] });
    else cause.all.push(exception);
  }
  const causeOf = new Map(causes.flatMap(({ all }) => all.map((one) => [one, all] as const)));
  return exceptions.flatMap((one): [Exception, ...Exception[]][] => {
    const all = causeOf.get(one) ?? [one];
    if (all.length < LEAST_ALIKE) return [[one]];
    return all[0] === one ? [all] : [];
  });
}

const wordsOf = (message: string): readonly string[] =>
  message.slice(0, 1_000).split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);

/** Messages of a word or none tell by that alone. */
function isAlike(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  const same = one.filter((word, at) => word === other[at]).length;
  return one.length < 3 ? same === one.length : same / one.length >= LEAST_SAME;
}
