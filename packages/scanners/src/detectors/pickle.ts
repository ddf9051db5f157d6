/**
 * Reads the opcodes of a pickle without running them (CPython, Lib/pickletools.py). Returns the globals that it would import, in
 * order, and whether it calls anything.
 */
export interface PickleFacts {
  readonly globals: readonly string[];
  /** REDUCE, INST, OBJ, NEWOBJ, BUILD: something is called. */
  readonly calls: boolean;
  /** The stream ended in the middle or has an unknown opcode. */
  readonly broken: boolean;
}

/** Bytes of the argument that follows an opcode; a function reads its length from the bytes. */
type Argument = number | 'line' | 'lines' | { readonly length: 1 | 2 | 4 | 8 };

const OPCODES: ReadonlyMap<number, Argument> = new Map<number, Argument>([
  ...[...'(.012abdeilNoRstu)]}QR'].map((one): [number, Argument] => [one.charCodeAt(0), 0]),
  ...[...'FILSVPgp'].map((one): [number, Argument] => [one.charCodeAt(0), 'line']),
  ['c'.charCodeAt(0), 'lines'],
  ['i'.charCodeAt(0), 'lines'],
  ['J'.charCodeAt(0), 4],
  ['K'.charCodeAt(0), 1],
  ['M'.charCodeAt(0), 2],
  ['G'.charCodeAt(0), 8],
  ['h'.charCodeAt(0), 1],
  ['j'.charCodeAt(0), 4],
  ['q'.charCodeAt(0), 1],
  ['r'.charCodeAt(0), 4],
  ['T'.charCodeAt(0), { length: 4 }],
  ['U'.charCodeAt(0), { length: 1 }],
  ['X'.charCodeAt(0), { length: 4 }],
  ['B'.charCodeAt(0), { length: 4 }],
  ['C'.charCodeAt(0), { length: 1 }],
  [0x80, 1],
  [0x81, 0],
  [0x82, 1],
  [0x83, 2],
  [0x84, 4],
  [0x85, 0],
  [0x86, 0],
  [0x87, 0],
  [0x88, 0],
  [0x89, 0],
  [0x8a, { length: 1 }],
  [0x8b, { length: 4 }],
  [0x8c, { length: 1 }],
  [0x8d, { length: 8 }],
  [0x8e, { length: 8 }],
  [0x8f, 0],
  [0x90, 0],
  [0x91, 0],
  [0x92, 0],
  [0x93, 0],
  [0x94, 0],
  [0x95, 8],
  [0x96, { length: 8 }],
  [0x97, 0],
  [0x98, 0],
]);
const STRINGS = new Set([...'SVTUX'].map((one) => one.charCodeAt(0)).concat(0x8c, 0x8d));
const CALLS = new Set(
  [...'RobB']
    .slice(0, 2)
    .map((one) => one.charCodeAt(0))
    .concat('b'.charCodeAt(0), 0x81, 0x92),
);
const [GLOBAL, INST, STOP, STACK_GLOBAL] = ['c'.charCodeAt(0), 'i'.charCodeAt(0), '.'.charCodeAt(0), 0x93];
const [MEMOIZE, BINGET, LONG_BINGET, BINPUT, LONG_BINPUT, GET, PUT] = [
  0x94,
  'h',
  'j',
  'q',
  'r',
  'g',
  'p',
].map((one) => (typeof one === 'number' ? one : one.charCodeAt(0)));
const MAX_OPCODES = 5_000_000;

/** Whether bytes begin like a pickle of protocol 2 or later, or of an older one. */
export function looksLikePickle(bytes: Uint8Array): boolean {
  if (bytes.length < 2) return false;
  if (bytes[0] === 0x80 && (bytes[1] ?? 9) <= 5 && (bytes[1] ?? 0) >= 2) return true;
  return (bytes[0] === 0x28 || bytes[0] === GLOBAL) && bytes.at(-1) === STOP;
}

export function readPickle(bytes: Uint8Array): PickleFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const globals: string[] = [];
  const texts: string[] = [];
  const memo = new Map<number, string>();
  let last: string | undefined;
  let calls = false;
  let at = 0;
  const lineFrom = (from: number): [string, number] => {
    const end = bytes.indexOf(0x0a, from);
    if (end < 0) throw new RangeError('cut off');
    return [decode(bytes.subarray(from, Math.min(end, from + 512))), end + 1];
  };
  try {
    for (let count = 0; at < bytes.length && count < MAX_OPCODES; count += 1) {
      const opcode = bytes[at] ?? 0;
      at += 1;
      if (opcode === STOP) return { globals, calls, broken: false };
      const argument = OPCODES.get(opcode);
      if (argument === undefined) return { globals, calls, broken: true };
      let text: string | undefined;
      let number = 0;
      if (argument === 'line') [text, at] = lineFrom(at);
      else if (argument === 'lines') {
        const [module, next] = lineFrom(at);
        const [name, end] = lineFrom(next);
        at = end;
        globals.push(`${module} ${name}`);
        if (opcode === INST) calls = true;
      } else if (typeof argument === 'number') {
        if (at + argument > bytes.length) throw new RangeError('cut off');
        if (argument === 1) number = bytes[at] ?? 0;
        else if (argument === 4) number = view.getUint32(at, true);
        at += argument;
      } else {
        const { length } = argument;
        const size =
          length === 1
            ? (bytes[at] ?? 0)
            : length === 2
              ? view.getUint16(at, true)
              : length === 4
                ? view.getUint32(at, true)
                : Number(view.getBigUint64(at, true));
        at += length;
        if (at + size > bytes.length) throw new RangeError('cut off');
        if (STRINGS.has(opcode)) text = decode(bytes.subarray(at, at + Math.min(size, 512)));
        at += size;
      }
      if (opcode === STACK_GLOBAL) {
        const name = texts.pop() ?? '?';
        globals.push(`${texts.pop() ?? '?'} ${name}`);
      } else if (STRINGS.has(opcode) && text !== undefined) {
        last = text.replaceAll(/^'|'$/g, '');
        texts.push(last);
        if (texts.length > 1_000) texts.splice(0, 500);
      } else if (opcode === MEMOIZE) memo.set(memo.size, last ?? '');
      else if (opcode === BINPUT || opcode === LONG_BINPUT) memo.set(number, last ?? '');
      else if (opcode === PUT) memo.set(Number(text), last ?? '');
      else if (opcode === BINGET || opcode === LONG_BINGET || opcode === GET) {
        const known = memo.get(opcode === GET ? Number(text) : number);
        if (known !== undefined && known !== '') texts.push(known);
      }
      if (CALLS.has(opcode)) calls = true;
      if (
        opcode !== GLOBAL &&
        !STRINGS.has(opcode) &&
        opcode !== MEMOIZE &&
        opcode !== BINPUT &&
        opcode !== LONG_BINPUT
      )
        last = undefined;
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return { globals, calls, broken: true };
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8').decode(bytes);
