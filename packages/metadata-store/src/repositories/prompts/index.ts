import type { Access } from '../access.ts';
import { promptDownloads } from './downloads.ts';
import { promptReads } from './reads.ts';
import type { Prompts } from './types.ts';
import { promptWrites } from './writes.ts';

export function prompts(access: Access): Prompts {
  const reads = promptReads(access);
  return { ...reads, ...promptWrites(access, reads.get), ...promptDownloads(access) };
}
