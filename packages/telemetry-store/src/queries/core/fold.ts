/**
 * One case for what is compared whatever its case. The engine's `lowerUTF8` takes letter by letter what JavaScript does,
 * but both make of a capital sigma the one or the other small one by what stands around it, which a part of a text does not
 * tell. So the two count as the same letter. No other letter's small one depends on what is around it.
 */
const SMALL_SIGMA = 'σ';
const FINAL_SIGMA = 'ς';

/** A text in that case, as what {@link foldedSql} is compared with. */
export const fold = (text: string): string => text.toLowerCase().replaceAll(FINAL_SIGMA, SMALL_SIGMA);

/** The expression of a text in that case, to compare it with `folded`. Only texts with a sigma are worth a second pass. */
export const foldedSql = (sql: string, folded: string): string =>
  folded.includes(SMALL_SIGMA)
    ? `replaceAll(lowerUTF8(${sql}), '${FINAL_SIGMA}', '${SMALL_SIGMA}')`
    : `lowerUTF8(${sql})`;

/** A text in capitals, where these are the same letters: of `ß` and `ı` they are others. */
export const upper = (text: string): string =>
  Array.from(text, (letter) => {
    const capital = letter.toUpperCase();
    return fold(capital) === fold(letter) ? capital : letter;
  }).join('');
