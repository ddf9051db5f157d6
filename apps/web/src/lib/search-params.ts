/**
 * Search parameters are plain text in the URL, so that links stay readable and an id of digits stays an id. Every
 * route validates what it takes with these; what does not fit is dropped, never an error page.
 */
type Raw = Readonly<Record<string, unknown>>;

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '' || value === false) continue;
    params.set(key, value === true ? '1' : String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Text of at most `most` characters. */
export function textParam(raw: Raw, name: string, most = 4_096): string | undefined {
  const value = raw[name];
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;
}

/** One of the texts given. */
export function choiceParam<T extends string>(raw: Raw, name: string, choices: readonly T[]): T | undefined {
  const value = raw[name];
  return choices.find((choice) => choice === value);
}

export function flagParam(raw: Raw, name: string): true | undefined {
  return raw[name] === true || raw[name] === '1' ? true : undefined;
}

type Validate = (raw: Record<string, unknown>) => object;

/**
 * The validators of pages in order, as one that takes everything else out. The router by itself only adds what a
 * validator gives to what the address says, so that a value which one refused would still be there.
 */
export function onlyValid(...validators: readonly Validate[]): Validate {
  return (raw) => ({
    ...Object.fromEntries(Object.keys(raw).map((key) => [key, undefined])),
    ...Object.assign({}, ...validators.map((validate) => validate(raw))),
  });
}
