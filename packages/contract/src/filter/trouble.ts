export interface FilterTextError {
  readonly message: string;
  /** Offset in UTF-16 units where the trouble starts, and how many it covers (at least 1). */
  readonly position: number;
  readonly length: number;
  /** What to write instead; empty when there is nothing better to say. */
  readonly hint: string;
}

/** Something in a search text is wrong at a place. */
export class Trouble extends Error {
  readonly error: FilterTextError;
  constructor(message: string, position: number, length: number, hint = '') {
    super(message);
    this.error = { message, position, length: Math.max(1, length), hint };
  }
}
