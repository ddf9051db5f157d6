import { readLine } from '../files.ts';
import type { HostPaths } from '../host-paths.ts';
import type { CloudName } from './cloud.ts';

/** The chassis tag of every machine of Azure; other machines with Microsoft's hypervisor do not have it. */
const AZURE_CHASSIS = '7783-7084-3265-9085-8269-3286-77';

/** Fields of the firmware's table, as Linux shows them. */
export interface DmiTable {
  readonly vendor: string | undefined;
  readonly product: string | undefined;
  readonly bios: string | undefined;
  readonly chassisTag: string | undefined;
}

/**
 * Who rents the machine out, as far as its firmware tells. A hint for `cloud.provider` and nothing else: the other fields
 * of the table are whatever the builder of the image or the machine put there.
 */
export function dmiProvider({ vendor, product, bios, chassisTag }: DmiTable): CloudName | undefined {
  const has = (text: string | undefined, word: RegExp): boolean => text !== undefined && word.test(text);
  // The older machines of EC2 run on Xen and say so; only their BIOS tells whose Xen it is.
  if (has(vendor, /\bamazon\b/i) || (has(vendor, /^xen$/i) && has(bios, /amazon/i))) return 'aws';
  // A Chromebook is made by Google, too.
  if (has(vendor, /\bgoogle\b/i) && has(product, /\bgoogle\b/i)) return 'gcp';
  if (has(vendor, /\bmicrosoft\b/i) && chassisTag === AZURE_CHASSIS) return 'azure';
  return undefined;
}

export function readDmiProvider(paths: HostPaths): CloudName | undefined {
  const field = (name: string): string | undefined => readLine(`${paths.sys}/class/dmi/id/${name}`);
  return dmiProvider({
    vendor: field('sys_vendor'),
    product: field('product_name'),
    bios: field('bios_version'),
    chassisTag: field('chassis_asset_tag'),
  });
}
