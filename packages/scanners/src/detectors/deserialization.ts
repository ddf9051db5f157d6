import { rulesDetector } from '../pattern-detector.ts';
import { callAt, isPython, isScript } from '../text.ts';

const FIX_PICKLE =
  'Use a format without code (safetensors, JSON, Parquet), or load only files that you made and signed.';
const argumentsOf = (match: RegExpExecArray, text: string): string =>
  callAt(text, match.index + match[0].length - 1);

/** Formats that run code while they are read. */
export const deserialization = rulesDetector('deserialization', 'Deserialisation that runs code', [
  {
    ruleId: 'pickle-load',
    severity: 'high',
    title: 'pickle loads data that can run code',
    explanation:
      'A pickle may call any function while it is read. Whoever can write the file or the bytes runs code here.',
    fix: FIX_PICKLE,
    where: isPython,
    form: /\b(?:pickle|cPickle|cloudpickle|dill|_pickle)\.(?:loads?|Unpickler)\s*\(/g,
  },
  {
    ruleId: 'joblib-load',
    severity: 'high',
    title: 'joblib.load reads a pickle',
    explanation: 'joblib files are pickles: reading one may call any function.',
    fix: FIX_PICKLE,
    where: isPython,
    form: /\bjoblib\.load\s*\(/g,
  },
  {
    ruleId: 'torch-load',
    severity: 'high',
    title: 'torch.load without weights_only=True',
    explanation:
      'Without weights_only=True a checkpoint is a pickle that may run code. Versions before 2.6 default to that.',
    fix: 'Pass weights_only=True, or use safetensors.',
    where: isPython,
    form: /\btorch\.load\s*\(/g,
    when: (match, text) => !/weights_only\s*=\s*True/.test(argumentsOf(match, text)),
  },
  {
    ruleId: 'yaml-load',
    severity: 'high',
    title: 'yaml.load without a safe loader',
    explanation: 'PyYAML builds any Python object that the document names.',
    fix: 'Use yaml.safe_load.',
    where: isPython,
    form: /\byaml\.(?:load|load_all|unsafe_load|full_load)\s*\(/g,
    when: (match, text) =>
      !/(?:CSafeLoader|SafeLoader|BaseLoader)/.test(argumentsOf(match, text)) || /unsafe/.test(match[0]),
  },
  {
    ruleId: 'numpy-allow-pickle',
    severity: 'medium',
    title: 'numpy.load with allow_pickle=True',
    explanation: 'Object arrays are pickles: reading one may run code.',
    fix: 'Store plain arrays and leave allow_pickle at False.',
    where: isPython,
    form: /\b(?:np|numpy)\.load\s*\(/g,
    when: (match, text) => /allow_pickle\s*=\s*True/.test(argumentsOf(match, text)),
  },
  {
    ruleId: 'pandas-read-pickle',
    severity: 'high',
    title: 'pandas.read_pickle runs code of the file',
    explanation: 'A pickle may call any function while it is read.',
    fix: 'Use Parquet or CSV.',
    where: isPython,
    form: /\b(?:pd|pandas)\.read_pickle\s*\(/g,
  },
  {
    ruleId: 'trust-remote-code',
    severity: 'high',
    title: 'trust_remote_code=True runs code of a model repository',
    explanation:
      'Python files of the model repository are executed with the rights of this process, at whatever revision it has today.',
    fix: 'Leave it off, or pin a revision that you have read.',
    where: isPython,
    form: /\btrust_remote_code\s*=\s*True/g,
  },
  {
    ruleId: 'marshal-shelve',
    severity: 'medium',
    title: 'marshal or shelve reads data that can run code',
    explanation: 'shelve stores pickles, and marshal is not safe for data from outside.',
    fix: 'Use JSON or SQLite.',
    where: isPython,
    form: /\b(?:marshal\.loads?|shelve\.open)\s*\(/g,
  },
  {
    ruleId: 'node-serialize',
    severity: 'critical',
    title: 'node-serialize runs functions of its input',
    explanation: 'unserialize evaluates functions that stand in the text.',
    fix: 'Use JSON.parse with a schema.',
    where: isScript,
    form: /\bunserialize\s*\(/g,
    when: (_, text) => text.includes('node-serialize'),
  },
  {
    ruleId: 'keras-unsafe',
    severity: 'high',
    title: 'Keras loads a model with safe_mode=False',
    explanation: 'Lambda layers hold Python bytecode that runs when the model is loaded.',
    fix: 'Leave safe_mode on.',
    where: isPython,
    form: /\bsafe_mode\s*=\s*False|\benable_unsafe_deserialization\s*\(/g,
  },
]);
