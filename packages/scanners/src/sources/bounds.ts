import type { Coverage, ScanFile } from '../types.ts';

/** What one scan may read. */
export interface SourceBounds {
  readonly files: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly pathBytes: number;
  readonly depth: number;
}

export const BOUNDS: SourceBounds = {
  files: 100_000,
  /** Code beyond this is generated; model files are read up to `modelBytes` of their head only. */
  fileBytes: 1_048_576,
  totalBytes: 1_073_741_824,
  pathBytes: 4_096,
  depth: 64,
};

/** Model files are larger than code, and are read whole up to this. */
const MODEL_BYTES = 64 * 1_048_576;
const MODEL = /\.(pkl|pickle|pt|pth|bin|ckpt|joblib|npy|npz|h5|keras|gguf|safetensors|model|dill)$/i;
/** Lock files are longer than code. */
const LOCK = /(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|poetry\.lock|uv\.lock|Cargo\.lock)$/;
const LOCK_BYTES = 16 * 1_048_576;

export const mostBytes = (path: string): number =>
  MODEL.test(path) ? MODEL_BYTES : LOCK.test(path) ? LOCK_BYTES : BOUNDS.fileBytes;

export function skip(coverage: Coverage, reason: string): void {
  coverage.skipped.set(reason, (coverage.skipped.get(reason) ?? 0) + 1);
}

/** A path that is scanned: relative, valid, within its bounds. The reason when it is not. */
export function refusedPath(path: string): string | undefined {
  if (path.includes('\uFFFD')) return 'names that are no UTF-8';
  if (path.length === 0 || path.startsWith('/') || path.split('/').includes('..'))
    return 'paths that lead elsewhere';
  if (Buffer.byteLength(path) > BOUNDS.pathBytes || path.split('/').length > BOUNDS.depth)
    return 'paths that are too long or deep';
  return undefined;
}

/** A file whose bytes are read once, when first asked for. `read` returns undefined with a noted reason. */
export function lazyFile(
  path: string,
  size: number | undefined,
  read: () => Promise<Uint8Array | undefined>,
): ScanFile {
  let bytes: Promise<Uint8Array | undefined> | undefined;
  let text: Promise<string | undefined> | undefined;
  const load = () => (bytes ??= read());
  return {
    path,
    size,
    bytes: load,
    text: () =>
      (text ??= load().then((all) => {
        if (all === undefined || all.subarray(0, 8_192).includes(0)) return undefined;
        return new TextDecoder('utf-8').decode(all);
      })),
  };
}
