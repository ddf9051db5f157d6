import { projectOfAddress, tabKey } from '../api/client.ts';

/**
 * A command line that asks the server the same, quoted for POSIX shells; `body` makes it a POST, `environment` is the
 * one chosen in the header. It names a key only when the page itself needs one: a made-up one would be refused.
 */
export function curlOf(
  origin: string,
  path: string,
  options: { body?: unknown; environment?: string | undefined; needsKey?: boolean } = {},
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = ['curl -sS', quoted(`${origin}${path}`)];
  if (options.needsKey ?? tabKey() !== '') parts.push("-H 'Authorization: Bearer <api key>'");
  if (options.environment !== undefined)
    parts.push(`-H ${quoted(`X-Platform-Environment: ${options.environment}`)}`);
  const project = projectOfAddress();
  if (project !== undefined) parts.push(`-H ${quoted(`X-Platform-Project-Id: ${project}`)}`);
  if (options.body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(options.body))}`);
  return parts.join(' ');
}
