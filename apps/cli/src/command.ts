/** What a command is given of the world outside. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Words that start this program, for what runs it later. */
  readonly program: readonly string[];
  /** One line for a person. */
  say(line: string): void;
}

/** One command of `candela`; a new one is a file in `commands/` and a line in its registry. */
export interface Command {
  /** The words that name it. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Options and what they do, a line each. */
  readonly help: string;
  /** The exit code where it could not be done; 1 unless that says something else of this command. */
  readonly failureCode?: 2;
  /** The exit code; nothing is 0. @throws UsageError, or an error whose message is for a person */
  run(args: readonly string[], world: World): Promise<number | void>;
}

/** What was typed cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** What was typed is understood, and could not be done, of a command whose code 1 says something else. */
export class NotDoneError extends UsageError {
  override readonly name = 'NotDoneError';
}

/** The JSON of an answer. @throws NotDoneError where something else than the platform answers there */
export async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (thrown) {
    throw new NotDoneError(
      `${new URL(response.url).origin} answered ${response.status} and no JSON. Is that the address of the platform?`,
      { cause: thrown },
    );
  }
}
