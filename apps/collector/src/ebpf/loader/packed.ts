import { brotliDecompressSync } from 'node:zlib';
import { type BpfObject, parseBpfObject } from './object.ts';

/** The object for this architecture. @throws where there is none */
export function unpackObject(objects: Readonly<Partial<Record<NodeJS.Architecture, string>>>): BpfObject {
  const packed = objects[process.arch];
  if (packed === undefined) throw new Error(`no BPF programs are built for ${process.arch}`);
  return parseBpfObject(brotliDecompressSync(Buffer.from(packed, 'base64')));
}
