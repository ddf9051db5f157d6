import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a platform of this machine takes OTLP over HTTP, by the file in its data directory; undefined when none runs. */
export function findPlatform(): string | undefined {
  const folder = process.env['PLATFORM_DATA_DIR'] ?? 'data';
  try {
    const { otlpHttp, pid } = JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8')) as {
      readonly otlpHttp?: unknown;
      readonly pid?: unknown;
    };
    // Signal 0 asks whether the process is there: one that was killed left its file behind.
    process.kill(Number(pid), 0);
    return typeof otlpHttp === 'string' && URL.canParse(otlpHttp) ? otlpHttp : undefined;
  } catch {
    return undefined;
  }
}
