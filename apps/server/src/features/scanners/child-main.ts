import { chooseDetectors, scan, ScanError, type ScanFile, type ScanSettings } from '@candela/scanners';
import { readFrames } from './frames.ts';

/** What the child is told in its only argument. */
export interface ChildOrder {
  readonly detectors: string;
  readonly settings: Omit<ScanSettings, 'vulnerabilities'>;
}

/** The program of the child: files in over standard input, one JSON document out. It can read nothing else. */
async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder;
  const frames = readFrames(process.stdin);
  const source = {
    async *files(): AsyncGenerator<ScanFile> {
      for await (const { path, content } of frames) {
        let text: string | undefined | null = null;
        yield {
          path,
          size: content.length,
          bytes: async () => content,
          text: async () => {
            if (text === null)
              text = content.subarray(0, 8_192).includes(0)
                ? undefined
                : new TextDecoder('utf-8').decode(content);
            return text;
          },
        };
      }
    },
  };
  try {
    const result = await scan(
      source,
      { ...order.settings, vulnerabilities: undefined },
      chooseDetectors(order.detectors),
      new AbortController().signal,
    );
    const coverage = { ...result.coverage, skipped: Object.fromEntries(result.coverage.skipped) };
    process.stdout.write(JSON.stringify({ ...result, coverage }));
  } catch (thrown) {
    process.stdout.write(
      JSON.stringify({
        error:
          thrown instanceof ScanError
            ? thrown.message
            : 'A detector failed. Report it with the kind of file.',
      }),
    );
  }
}

await main();
