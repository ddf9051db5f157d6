import {
  archiveSource,
  chooseDetectors,
  readOsvFolders,
  scan,
  scanComponents,
  ScanError,
  type ScanFile,
  type ScanSettings,
  type Source,
} from '@candela/scanners';
import { readFrames } from './frames.ts';

/** What the child is told in its only argument. */
export interface ChildOrder {
  readonly detectors: string;
  readonly settings: Omit<ScanSettings, 'vulnerabilities'>;
  /** The only frame is an archive, which is unpacked here. */
  readonly isArchive: boolean;
  /** Folders of OSV dumps, in which the packages are looked up that lock files name. */
  readonly osvFolders: readonly string[];
  readonly nowMs: number;
}

/** After all others: the packages are known then. */
const LOOKED_UP = 'vulnerabilities';

/** The program of the child: files in over standard input, one JSON document out. It can read nothing else. */
async function main(): Promise<void> {
  const frames = readFrames(process.stdin);
  // The order is the first frame: rules may be longer than an argument.
  const order = JSON.parse(
    Buffer.from((await frames.next()).value?.content ?? []).toString('utf8'),
  ) as ChildOrder;
  const files: Source = {
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
    const source = order.isArchive
      ? archiveSource((await frames.next()).value?.content ?? new Uint8Array())
      : files;
    const detectors = chooseDetectors(order.detectors);
    const result = await scan(
      source,
      { ...order.settings, vulnerabilities: undefined },
      detectors.filter((id) => id !== LOOKED_UP),
      new AbortController().signal,
    );
    const components = [...result.components];
    const vulnerabilities = await readOsvFolders(order.osvFolders, order.nowMs, components);
    const known = detectors.includes(LOOKED_UP)
      ? scanComponents(components, { ...order.settings, vulnerabilities }, [LOOKED_UP])
      : [];
    const coverage = { ...result.coverage, skipped: Object.fromEntries(result.coverage.skipped) };
    const findings = [...result.findings, ...known];
    process.stdout.write(
      JSON.stringify({ ...result, findings, coverage, vulnerabilityData: vulnerabilities.data }),
    );
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
