import { unzipSync } from 'fflate';
import { extension } from '../text.ts';
import type { Detector, FindingDraft, ScanFile } from '../types.ts';
import { looksLikePickle, readPickle } from './pickle.ts';

/** Modules whose functions run programs, code or files. */
const DANGEROUS =
  /^(?:os|posix|nt|subprocess|sys|shutil|socket|requests|urllib\S*|http\S*|builtins|__builtin__|runpy|importlib\S*|pty|commands|code|codeop|ctypes\S*|webbrowser|asyncio\S*|multiprocessing\S*|threading|pickle|marshal|types|operator|functools|torch\.hub|timeit|cProfile|pdb|bdb|numpy\.testing\S*|pip\S*|ensurepip) /;
const HARMLESS_BUILTINS =
  /^(?:builtins|__builtin__) (?:set|frozenset|dict|list|tuple|int|float|str|bytes|bytearray|bool|complex|object|slice|range)$/;
const HARMLESS =
  /^(?:torch(?:\.\S+)? |collections |numpy(?:\.\S+)? |_codecs encode|copyreg _reconstructor|copy_reg _reconstructor|sklearn\.|scipy\.|pandas\.|builtins |__builtin__ |datetime |decimal |pathlib |transformers\.|xgboost\.|lightgbm\.|joblib\.numpy_pickle )/;
const EXTENSIONS = new Set([
  'pkl',
  'pickle',
  'pt',
  'pth',
  'bin',
  'ckpt',
  'joblib',
  'dat',
  'npy',
  'npz',
  'h5',
  'keras',
  'gguf',
  'safetensors',
  'onnx',
  'model',
  'p',
  'dill',
]);
const MAX_INFLATED = 256 * 1_048_576;

/** Model files, read as data and never loaded. */
export const modelFiles: Detector = {
  id: 'model-files',
  title: 'Model files',
  create: (scan) => ({
    wants: (path) => EXTENSIONS.has(extension(path)),
    async file(file: ScanFile) {
      const bytes = await file.bytes();
      if (bytes === undefined || bytes.length < 4) return;
      const report = (draft: Omit<FindingDraft, 'path' | 'line'>) =>
        scan.report({ ...draft, path: file.path, line: null });
      for (const [name, part] of partsOf(bytes, (problem) =>
        report({
          ruleId: 'model-archive-bomb',
          severity: 'high',
          title: 'An archive that cannot be read within its bounds',
          explanation: `${problem} What it holds was not looked at.`,
          fix: 'Look where the file comes from.',
        }),
      )) {
        if (looksLikePickle(part)) pickle(report, name, part);
        else if (name.endsWith('.npy') || startsWith(part, '\u0093NUMPY')) {
          if (/'descr':\s*'\|O'|"descr":\s*"\|O"/.test(latin1(part.subarray(0, 4_096)))) {
            report({
              ruleId: 'numpy-objects',
              severity: 'medium',
              title: 'An array of Python objects',
              explanation: 'Its elements are a pickle, which may run code while it is read.',
              fix: 'Store plain numbers.',
              snippet: name,
            });
          }
        }
        if (
          name.endsWith('config.json') &&
          /"class_name":\s*"Lambda"/.test(latin1(part.subarray(0, 1_048_576)))
        )
          kerasLambda(report);
      }
      const kind = extension(file.path);
      if (kind === 'h5' && /"class_name":\s*"Lambda"/.test(latin1(bytes.subarray(0, 4 * 1_048_576))))
        kerasLambda(report);
      if (kind === 'safetensors') safetensors(report, bytes, file.size);
      if (kind === 'gguf') gguf(report, bytes);
    },
  }),
};

type Report = (draft: Omit<FindingDraft, 'path' | 'line'>) => void;

function pickle(report: Report, name: string, bytes: Uint8Array): void {
  const { globals, calls, broken } = readPickle(bytes);
  const dangerous = globals.filter((one) => DANGEROUS.test(one) && !HARMLESS_BUILTINS.test(one));
  const unknown = globals.filter((one) => !DANGEROUS.test(one) && !HARMLESS.test(one));
  if (dangerous.length > 0) {
    report({
      ruleId: 'pickle-runs-code',
      severity: 'critical',
      title: `A model file calls ${(dangerous[0] ?? '').replace(' ', '.')} when it is loaded`,
      explanation:
        'Loading it runs a function that starts programs, evaluates code or opens connections. No model needs that.',
      fix: 'Do not load it. Take the model from its maker as safetensors.',
      snippet: `${name}: ${dangerous.slice(0, 5).join(', ')}`,
    });
  } else if (unknown.length > 0 && calls) {
    report({
      ruleId: 'pickle-unknown-import',
      severity: 'medium',
      confidence: 'medium',
      title: 'A model file imports code that is not of a known library',
      explanation: 'Loading it imports these modules and calls what it names.',
      fix: 'Use safetensors, or check the modules.',
      snippet: `${name}: ${unknown.slice(0, 5).join(', ')}`,
    });
  }
  if (broken && globals.length === 0 && bytes.length < 64 * 1_024) {
    report({
      ruleId: 'pickle-broken',
      severity: 'low',
      confidence: 'low',
      title: 'A pickle that ends in the middle or has unknown opcodes',
      explanation: 'It may hide what follows from readers of opcodes.',
      fix: 'Look where the file comes from.',
      snippet: name,
    });
  }
}

const kerasLambda = (report: Report): void =>
  report({
    ruleId: 'keras-lambda',
    severity: 'high',
    title: 'A Keras model with a Lambda layer',
    explanation: 'It holds Python bytecode that runs when the model is loaded.',
    fix: 'Use a layer class instead, and load with safe_mode=True.',
  });

function safetensors(report: Report, bytes: Uint8Array, size: number | undefined): void {
  const length = bytes.length < 8 ? 0n : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > 100_000_000n || (size !== undefined && length + 8n > BigInt(size)) || bytes[8] !== 0x7b)
    badHeader(report, 'safetensors');
}

function gguf(report: Report, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrong =
    latin1(bytes.subarray(0, 4)) !== 'GGUF' ||
    bytes.length < 24 ||
    view.getBigUint64(8, true) > 1_000_000n ||
    view.getBigUint64(16, true) > 1_000_000n;
  if (wrong) badHeader(report, 'GGUF');
  const template =
    /tokenizer\.chat_template[\s\S]{12}([\s\S]{0,20000})/.exec(
      latin1(bytes.subarray(0, 4 * 1_048_576)),
    )?.[1] ?? '';
  if (/__(?:class|globals|subclasses|import|builtins)__/.test(template.slice(0, 20_000))) {
    report({
      ruleId: 'gguf-template-code',
      severity: 'high',
      title: 'The chat template of a model reaches into Python',
      explanation: 'Loaders that render Jinja without a sandbox run it.',
      fix: 'Do not load it; take the model from its maker.',
    });
  }
}

const badHeader = (report: Report, format: string): void =>
  report({
    ruleId: 'model-header',
    severity: 'medium',
    title: `A ${format} file with a header that cannot be`,
    explanation: 'Its lengths are beyond the file or any model: loaders have had overflows there.',
    fix: 'Look where the file comes from.',
  });

/** The file itself, and the parts of a ZIP (`.pt`, `.npz`, `.keras`) within a bound of inflated bytes. */
function partsOf(bytes: Uint8Array, problem: (text: string) => void): [string, Uint8Array][] {
  if (!startsWith(bytes, 'PK\u0003\u0004')) return [['', bytes]];
  let inflated = 0;
  let refused = false;
  try {
    const parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!/\.(pkl|npy|json)$/.test(name)) return false;
        inflated += originalSize;
        refused ||= inflated > MAX_INFLATED || originalSize > 200 * bytes.length + 1_048_576;
        return !refused;
      },
    });
    if (refused) problem('Its parts would be larger than they may be.');
    return Object.entries(parts);
  } catch {
    problem('It is damaged.');
    return [];
  }
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
const startsWith = (bytes: Uint8Array, text: string): boolean =>
  latin1(bytes.subarray(0, text.length)) === text;
