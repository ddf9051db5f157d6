import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WEB_DIST } from './stage.ts';

/** Where the chunk of a module of the web UI is asked for, as a pattern of its address. @param module e.g. `features/shell/palette.tsx` */
export function chunkOf(module: string): string {
  const manifest = JSON.parse(readFileSync(join(WEB_DIST, '.vite', 'manifest.json'), 'utf8')) as Readonly<
    Record<string, { readonly file: string }>
  >;
  const chunk = manifest[`src/${module}`];
  if (chunk === undefined) throw new Error(`The build has no chunk of ${module}.`);
  return `**/${chunk.file}`;
}
