/**
 * A command line that asks the server the same, quoted for POSIX shells; `body` makes it a POST, `environment` is the
 * one chosen in the header.
 */
export function curlOf(
  origin: string,
  path: string,
  options: { body?: unknown; environment?: string | undefined } = {},
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = ['curl -sS', quoted(`${origin}${path}`), "-H 'Authorization: Bearer <api key>'"];
  if (options.environment !== undefined)
    parts.push(`-H ${quoted(`X-Platform-Environment: ${options.environment}`)}`);
  if (options.body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(options.body))}`);
  return parts.join(' ');
}
