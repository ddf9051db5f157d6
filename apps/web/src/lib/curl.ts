/** A command line that asks the server the same; `body` makes it a POST. Quoted for POSIX shells. */
export function curlOf(origin: string, path: string, body?: unknown): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = ['curl -sS', quoted(`${origin}${path}`), "-H 'Authorization: Bearer <api key>'"];
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(body))}`);
  return parts.join(' ');
}
