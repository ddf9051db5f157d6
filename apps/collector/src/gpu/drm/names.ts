import { existsSync } from 'node:fs';
import { inRoot, type HostPaths } from '../../host-paths.ts';
import { driverText } from './driver-files.ts';

const MAX_BYTES = 8 * 1_048_576;
/** Where distributions keep the list of PCI devices, and the finer one of AMD's. */
const PCI_IDS = ['/usr/share/hwdata/pci.ids', '/usr/share/misc/pci.ids'];
const AMDGPU_IDS = ['/usr/share/libdrm/amdgpu.ids', '/opt/amdgpu/share/libdrm/amdgpu.ids'];

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

function textOf(paths: HostPaths, files: readonly string[]): string {
  const file = files.map((path) => inRoot(paths, path)).find((path) => existsSync(path));
  return (file === undefined ? undefined : driverText(file, MAX_BYTES)) ?? '';
}

/** Name of a PCI device by the list of the distribution: `Navi 31 [Radeon RX 7900 XT/7900 XTX]`. */
export function pciName(paths: HostPaths, vendor: number, device: number): string | undefined {
  const text = `\n${textOf(paths, PCI_IDS)}`;
  const begin = text.indexOf(`\n${hex(vendor, 4)}  `);
  if (begin < 0) return undefined;
  // The devices of a maker are the lines after it that begin with a tab.
  const end = text.slice(begin + 1).search(/\n[^\t#\n]/);
  const block = end < 0 ? text.slice(begin) : text.slice(begin, begin + 1 + end);
  const at = block.indexOf(`\n\t${hex(device, 4)}  `);
  return at < 0 ? undefined : block.slice(at + 8, block.indexOf('\n', at + 1) >>> 0).trim() || undefined;
}

/** Name of an AMD GPU by its revision too, which tells cards of the same chip apart: `AMD Radeon RX 7900 XTX`. */
export function amdName(paths: HostPaths, device: number, revision: number): string | undefined {
  const wanted = `${hex(device, 4)},${hex(revision, 2)}`;
  for (const line of textOf(paths, AMDGPU_IDS).split('\n')) {
    const match = /^([0-9a-f]{4}),\s*([0-9a-f]{2}),\s*(.+)$/i.exec(line);
    if (match !== null && `${match[1]},${match[2]}`.toLowerCase() === wanted) return match[3]?.trim();
  }
  return undefined;
}
