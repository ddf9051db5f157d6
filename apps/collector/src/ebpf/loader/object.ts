import { ElfError, ElfFile, SECTION_RELOCATIONS, SECTION_SYMBOLS, type Section } from './elf.ts';

export interface MapDefinition {
  readonly name: string;
  readonly type: number;
  readonly keySize: number;
  readonly valueSize: number;
  readonly entries: number;
}

export interface ProgramDefinition {
  readonly name: string;
  /** By which `entry` and `leave` call it; 0 of these two. */
  readonly number: number;
  /** It runs when the function returns. */
  readonly atReturn: boolean;
  /** It runs at the tracepoint of its name, and not in a function of a program. */
  readonly isTracepoint: boolean;
  readonly instructions: Buffer;
  /** Where the descriptor of a map is to be written: offsets of 16-byte loads, and which map. */
  readonly maps: readonly { readonly offset: number; readonly map: string }[];
}

export interface BpfObject {
  readonly maps: readonly MapDefinition[];
  readonly programs: readonly ProgramDefinition[];
  readonly license: string;
}

const MACHINE_BPF = 247;
const RELOCATE_LOAD = 1;
const MAP_BYTES = 16;
const KINDS = new Set(['uprobe', 'uretprobe', 'raw_tracepoint']);

/**
 * What clang made of a `.bpf.c` of this agent: programs in sections `uprobe/<number>/<name>`, `uretprobe/…`
 * and `raw_tracepoint/…`, maps in `maps`.
 */
export function parseBpfObject(bytes: Buffer): BpfObject {
  const elf = new ElfFile((offset, length) => {
    if (offset + length > bytes.length) throw new ElfError('the object ends within a table');
    return bytes.subarray(offset, offset + length);
  });
  if (elf.machine !== MACHINE_BPF) throw new ElfError('the object holds no BPF');
  const table = elf.sections.find(({ type }) => type === SECTION_SYMBOLS);
  if (table === undefined) throw new ElfError('the object has no symbols');
  const symbols = [...elf.symbols(table)];
  const mapsAt = elf.sections.findIndex(({ name }) => name === 'maps');
  const mapsSection = elf.sections[mapsAt];
  const mapBytes = mapsSection === undefined ? Buffer.alloc(0) : elf.content(mapsSection);
  const maps = symbols
    .filter(({ section, size }) => section === mapsAt && mapsAt > 0 && size === BigInt(MAP_BYTES))
    .map((symbol): MapDefinition => {
      const at = Number(symbol.value);
      return {
        name: elf.nameOf(table, symbol),
        type: mapBytes.readUInt32LE(at),
        keySize: mapBytes.readUInt32LE(at + 4),
        valueSize: mapBytes.readUInt32LE(at + 8),
        entries: mapBytes.readUInt32LE(at + 12),
      };
    });
  const programs = elf.sections.flatMap((section, index) => {
    const [kind, number, name] = section.name.split('/', 3);
    if (name === undefined || !KINDS.has(kind ?? '')) return [];
    const relocations = elf.sections.find(({ type, info }) => type === SECTION_RELOCATIONS && info === index);
    return [
      {
        name,
        number: Number(number),
        atReturn: kind === 'uretprobe',
        isTracepoint: kind === 'raw_tracepoint',
        instructions: Buffer.from(elf.content(section)),
        maps: relocations === undefined ? [] : loads(relocations),
      },
    ];
  });
  const license = elf.sections.find(({ name }) => name === 'license');
  return {
    maps,
    programs,
    license: license === undefined ? '' : elf.content(license).toString('latin1').replaceAll('\0', ''),
  };

  function loads(section: Section): { offset: number; map: string }[] {
    const rows = elf.content(section);
    const found: { offset: number; map: string }[] = [];
    for (let at = 0; at + 16 <= rows.length; at += 16) {
      const type = rows.readUInt32LE(at + 8);
      const symbol = symbols[rows.readUInt32LE(at + 12)];
      if (type !== RELOCATE_LOAD || symbol === undefined) throw new ElfError('an unknown relocation');
      found.push({
        offset: Number(rows.readBigUInt64LE(at)),
        map: table === undefined ? '' : elf.nameOf(table, symbol),
      });
    }
    return found;
  }
}
