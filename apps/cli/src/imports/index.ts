import { UsageError } from '../command.ts';
import type { ImportFormat } from './format.ts';
import { jaeger } from './jaeger.ts';
import { langfuse } from './langfuse.ts';
import { langsmith } from './langsmith.ts';
import { otlpJson, otlpProtobuf } from './otlp.ts';
import { phoenix } from './phoenix.ts';
import { firstRowOf, headOf } from './rows.ts';

/** Every format; the registry. The first that knows a file takes it. */
export const IMPORTS: readonly ImportFormat[] = [
  otlpJson,
  jaeger,
  langsmith,
  phoenix,
  langfuse,
  otlpProtobuf,
];

/** The format of these files, by the first of them. @throws UsageError */
export async function formatOf(files: readonly string[]): Promise<ImportFormat> {
  const [file] = files;
  if (file === undefined) throw new UsageError('Name files to import.');
  const row = await firstRowOf(file);
  const head = headOf(file);
  const format = IMPORTS.find((one) => one.recognises(row, head));
  if (format === undefined) {
    throw new UsageError(
      `${file} is of no format that is known here: ${IMPORTS.map(({ name }) => name).join(', ')}. Name it with --format if it is one.`,
    );
  }
  return format;
}
