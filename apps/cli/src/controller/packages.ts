import { existsSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { linkOf, type Runtime } from './proc.ts';

/** Packages that call models, as they lie on disk. */
const PYTHON = [
  'openai',
  'anthropic',
  'google/genai',
  'google/generativeai',
  'cohere',
  'mistralai',
  'groq',
  'ollama',
  'litellm',
  'langchain',
  'langchain_core',
  'langgraph',
  'llama_index',
  'crewai',
  'pydantic_ai',
  'mcp',
];
const NODE = [
  'openai',
  '@anthropic-ai/sdk',
  '@google/genai',
  '@google/generative-ai',
  'cohere-ai',
  '@mistralai/mistralai',
  'groq-sdk',
  'ollama',
  'ai',
  'langchain',
  '@langchain/core',
  'llamaindex',
  '@aws-sdk/client-bedrock-runtime',
  '@modelcontextprotocol/sdk',
];
/** Folders above a program that are looked into. */
const MAX_UP = 8;

interface ProgramPlace {
  readonly proc: string;
  readonly pid: number;
  readonly runtime: Runtime;
  readonly arguments: readonly string[];
  readonly environment: string;
}

export interface FoundPackages {
  readonly names: readonly string[];
  /** They are the program's own (a virtual environment, `node_modules` beside it) and not those of the whole machine. */
  readonly own: boolean;
}
const NONE: FoundPackages = { names: [], own: false };

/** Packages that call models which a program of Python or Node can load. Looks for fixed names and reads no file. */
export function packagesOf(place: ProgramPlace): FoundPackages {
  const { proc, pid, runtime } = place;
  const root = join(proc, String(pid), 'root');
  const cwd = linkOf(join(proc, String(pid), 'cwd')) ?? '/';
  if (runtime === 'python') return ofPython(place, root, cwd);
  return runtime === 'node' ? ofNode(place, root, cwd) : NONE;
}

function ofPython({ arguments: words, environment }: ProgramPlace, root: string, cwd: string): FoundPackages {
  const given = /(?:^|\0)VIRTUAL_ENV=([^\0]{1,1024})/.exec(environment)?.[1];
  const [command = ''] = words;
  const program = command.includes('/') ? resolve(cwd, command) : undefined;
  const prefixes = [given, program === undefined ? undefined : dirname(dirname(program))];
  for (const prefix of prefixes) {
    if (prefix === undefined || !isAbsolute(prefix)) continue;
    const names = new Set<string>();
    for (const lib of foldersIn(join(root, prefix, 'lib'), /^python3\.\d+$/))
      for (const name of PYTHON) if (existsSync(join(lib, 'site-packages', name))) names.add(name);
    if (names.size > 0) return { names: [...names], own: existsSync(join(root, prefix, 'pyvenv.cfg')) };
  }
  return NONE;
}

function ofNode({ arguments: words }: ProgramPlace, root: string, cwd: string): FoundPackages {
  const script = words.find((word, at) => at > 0 && /\.[mc]?[jt]s$/.test(word));
  let folder = script === undefined ? cwd : dirname(resolve(cwd, script));
  const names = new Set<string>();
  for (let up = 0; up < MAX_UP; up += 1) {
    for (const name of NODE)
      if (existsSync(join(root, folder, 'node_modules', name, 'package.json'))) names.add(name);
    if (folder === '/' || names.size > 0) break;
    folder = dirname(folder);
  }
  return { names: [...names], own: names.size > 0 };
}

function foldersIn(path: string, name: RegExp): string[] {
  try {
    return readdirSync(path)
      .filter((each) => name.test(each))
      .map((each) => join(path, each));
  } catch {
    return [];
  }
}
