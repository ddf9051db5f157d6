/** A failure the way ClickHouse's HTTP interface reports it: numeric code, text, HTTP status. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly engineCode: number;

  constructor(engineCode: number, type: string, detail: string) {
    super(`Code: ${engineCode}. DB::Exception: ${detail} (${type})`);
    this.engineCode = engineCode;
  }

  /** From whatever the engine threw; its message begins with the code. */
  static from(thrown: unknown): { readonly code: number; readonly text: string } {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof EngineError) return { code: thrown.engineCode, text };
    const code = /\bCode: (\d+)\./.exec(text)?.[1];
    if (code !== undefined) return { code: Number(code), text: text.slice(text.indexOf('Code: ')) };
    return { code: 1002, text: `Code: 1002. DB::Exception: ${text} (UNKNOWN_EXCEPTION)` };
  }
}

const BAD_REQUEST = new Set([
  6, 27, 36, 38, 41, 42, 43, 44, 47, 53, 62, 69, 70, 72, 115, 117, 130, 131, 349, 456, 457,
]);
const NOT_FOUND = new Set([16, 46, 60, 81]);

/** The HTTP status ClickHouse answers for an error code. */
export function statusOf(code: number): number {
  if (BAD_REQUEST.has(code)) return 400;
  if (NOT_FOUND.has(code)) return 404;
  if (code === 202 || code === 252) return 503;
  if (code === 159) return 408;
  if (code === 497 || code === 164) return 403;
  return 500;
}
