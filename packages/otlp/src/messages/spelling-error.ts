/** A value that does not fit its field; the caller says which body it was in. */
export class SpellingError extends Error {
  override readonly name = 'SpellingError';
}
