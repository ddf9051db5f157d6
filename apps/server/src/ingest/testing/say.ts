/** What a test measured or could not do, for the person who reads its output. */
export function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}
