/**
 * What a search inside one document looks for, in lower case: words, each anywhere, and `"texts in quotes"` as they
 * are. All of them: how many there may be, the length of the text says. An unclosed quote reaches to the end.
 */
export function searchTerms(text: string): readonly string[] {
  const terms = [...text.matchAll(/"([^"]*)"?|[^\s"]+/g)].map(([whole, quoted]) =>
    (quoted ?? whole).trim().toLowerCase(),
  );
  return [...new Set(terms.filter((term) => term !== ''))];
}
