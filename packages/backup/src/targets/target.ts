/** Where a repository lies. Paths have `/` between their parts, letters, digits, `.`, `-` and `_` in them, and no other. */
export interface Target {
  /** For messages; without credentials. */
  readonly name: string;
  /** Stored completely or not at all. */
  put(path: string, bytes: Buffer): Promise<void>;
  /** Undefined: there is none. */
  get(path: string): Promise<Buffer | undefined>;
  /** Paths below a prefix that ends in `/`. */
  list(prefix: string): AsyncIterable<string>;
  remove(path: string): Promise<void>;
  /** Takes away what a `put` left that was cut off. Not while something is stored. */
  sweep(): Promise<void>;
}

/** The backup cannot be made, read or restored; the sentence says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
