import { type CodeRule, rulesDetector } from '../pattern-detector.ts';
import { callAt, isPython, isScript } from '../text.ts';

const TOOL_DECORATOR =
  /@(?:function_tool|tool|mcp\.tool|server\.tool|agent\.tool|agent\.tool_plain|kernel_function|beta_tool|ai_function)\b(?:\([^)]{0,500}\))?[ \t]*\n(?:[ \t]*@[^\n]{0,300}\n){0,5}[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(([^)]{0,2000})\)[^:\n]{0,200}:[ \t]*\n/g;

/** The indented block that begins at an offset. */
function blockAt(text: string, from: number): string {
  const lines = text.slice(from, from + 8_000).split('\n');
  const indent = /^[ \t]*/.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  if (indent === 0) return '';
  const end = lines.findIndex(
    (line) => line.trim() !== '' && (/^[ \t]*/.exec(line)?.[0].length ?? 0) < indent,
  );
  return lines.slice(0, end < 0 ? undefined : end).join('\n');
}

const bodyOf = (match: RegExpExecArray, text: string): string => blockAt(text, match.index + match[0].length);
const argumentsOf = (match: RegExpExecArray, text: string): string =>
  callAt(text, match.index + match[0].length - 1);
/** A parameter of the tool in an expression: what the model wrote. */
const namesOf = (match: RegExpExecArray): string[] =>
  (match[2] ?? '')
    .split(',')
    .map((part) => /^\s*\*{0,2}(\w+)/.exec(part)?.[1] ?? '')
    .filter((name) => name !== '' && !/^(self|cls|ctx|context|wrapper)$/.test(name));
const uses = (match: RegExpExecArray, expression: string): boolean =>
  namesOf(match).some((name) => new RegExp(`\\b${name}\\b`).test(expression));
const callIn = (body: string, form: RegExp): string[] =>
  [...body.matchAll(form)].map((found) => callAt(body, found.index + found[0].length - 1));
const GUARD =
  /\b(?:approve|approval|confirm|allow(?:ed|list)?|whitelist|validate|guardrail|sandbox|shlex\.quote|permission)\w*/i;

const inTool = (rule: Omit<CodeRule, 'form' | 'where'>): CodeRule => ({
  ...rule,
  where: isPython,
  form: TOOL_DECORATOR,
});

/** Tools, agents and loops of agent SDKs: what a model may do with this process. */
export const agentSdk = rulesDetector('agent-sdk', 'Agent SDK misuse', [
  inTool({
    ruleId: 'tool-shell',
    severity: 'critical',
    title: 'A tool runs shell commands that the model writes',
    explanation: 'Text that the model read can make it call this tool with any command.',
    fix: 'Offer fixed commands with checked arguments (no shell), ask a person first, or run it in a sandbox.',
    when: (match, text) => {
      const body = bodyOf(match, text);
      const calls = callIn(
        body,
        /\b(?:os\.(?:system|popen)|subprocess\.(?:run|call|check_output|check_call|Popen|getoutput)|asyncio\.create_subprocess_(?:shell|exec))\s*\(/g,
      );
      return calls.some((call) => uses(match, call)) && !GUARD.test(body);
    },
  }),
  inTool({
    ruleId: 'tool-eval',
    severity: 'critical',
    title: 'A tool evaluates code that the model writes',
    explanation: 'eval and exec run any Python with the rights of this process.',
    fix: 'Parse the expression with a small grammar, or run it in a sandbox without network and files.',
    when: (match, text) =>
      callIn(bodyOf(match, text), /(?<![.\w])(?:eval|exec)\s*\(/g).some((call) => uses(match, call)),
  }),
  inTool({
    ruleId: 'tool-path',
    severity: 'high',
    title: 'A tool opens a path that the model writes',
    explanation: 'The model can be led to read or write any file of this user, such as keys.',
    fix: 'Resolve the path and check that it stays below one folder.',
    when: (match, text) => {
      const body = bodyOf(match, text);
      const calls = callIn(
        body,
        /(?<![.\w])(?:open|Path|pathlib\.Path|shutil\.\w+|os\.(?:remove|unlink|rename|makedirs|listdir))\s*\(/g,
      );
      return (
        calls.some((call) => uses(match, call)) &&
        !/resolve\(|realpath|is_relative_to|commonpath|safe_join|abspath/.test(body)
      );
    },
  }),
  inTool({
    ruleId: 'tool-ssrf',
    severity: 'high',
    title: 'A tool fetches an address that the model writes',
    explanation:
      'The model can be led to ask services of the internal network or the metadata address of the cloud.',
    fix: 'Allow hosts from a list, refuse private addresses, and set a timeout.',
    when: (match, text) => {
      const body = bodyOf(match, text);
      const calls = callIn(
        body,
        /\b(?:requests|httpx|client|session|aiohttp)\.(?:get|post|put|delete|request|head)\s*\(|\burlopen\s*\(/g,
      );
      return (
        calls.some((call) =>
          namesOf(match).some((name) =>
            new RegExp(`^\\(\\s*(?:f?["']https?://)?\\{?${name}\\b|url\\s*=\\s*${name}\\b`).test(call),
          ),
        ) && !/allow|host|netloc|ipaddress/i.test(body)
      );
    },
  }),
  inTool({
    ruleId: 'tool-sql',
    severity: 'high',
    title: 'A tool builds SQL from what the model writes',
    explanation:
      'Formatted text becomes part of the statement: the model can be led to read or change any table.',
    fix: 'Bind values as parameters; give the connection only the rights that it needs.',
    when: (match, text) =>
      callIn(bodyOf(match, text), /\.(?:execute|executemany|executescript|raw|query)\s*\(/g).some(
        (call) =>
          uses(match, call) && (/\(\s*f["']|%\s*\(|\.format\(|\+/.test(call) || /^\(\s*\w+\s*\)$/.test(call)),
      ),
  }),
  inTool({
    ruleId: 'tool-untyped',
    severity: 'low',
    title: 'A tool has parameters without types',
    explanation: 'The schema that the model gets says nothing of them, so anything is passed.',
    fix: 'Annotate every parameter.',
    when: (match) => namesOf(match).some((name) => !new RegExp(`\\b${name}\\s*:`).test(match[2] ?? '')),
  }),
  inTool({
    ruleId: 'tool-undescribed',
    severity: 'low',
    title: 'A tool has no description',
    explanation: 'The model guesses from the name when to call it.',
    fix: 'Say in the docstring what it does, when to use it and what it returns.',
    when: (match, text) =>
      !/^\s*[rRuU]?("""|'''|"|')/.test(bodyOf(match, text)) && !/description\s*=/.test(match[0]),
  }),
  {
    ruleId: 'http-no-timeout',
    severity: 'medium',
    title: 'An HTTP request without a timeout',
    explanation: 'An agent that waits for ever holds its run, its memory and its person.',
    fix: 'Pass timeout=.',
    where: isPython,
    form: /\brequests\.(?:get|post|put|delete|patch|head|request)\s*\(/g,
    when: (match, text) => !/timeout\s*=/.test(argumentsOf(match, text)),
  },
  {
    ruleId: 'agent-no-limit',
    severity: 'medium',
    title: 'An agent loop without a limit of turns',
    explanation: 'A model that calls tools in circles runs until the budget is gone.',
    fix: 'Set max_turns (OpenAI Agents), recursion_limit (LangGraph), max_iterations (LangChain) or stopWhen (AI SDK).',
    form: /\bRunner\.run(?:_sync|_streamed)?\s*\(|\bAgentExecutor\s*\(|\bgenerateText\s*\(\s*\{|\bstreamText\s*\(\s*\{/g,
    when: (match, text) => {
      const call = argumentsOf(match[0].endsWith('{') ? shifted(match) : match, text);
      if (/generateText|streamText/.test(match[0]))
        return (
          /\btools\b/.test(call) &&
          /while\s*\(\s*true/.test(text.slice(Math.max(0, match.index - 300), match.index)) &&
          !/stopWhen|maxSteps/.test(call)
        );
      return !/max_turns|max_iterations|max_execution_time|\*\*/.test(call);
    },
  },
  {
    ruleId: 'unbounded-loop',
    severity: 'medium',
    title: 'An endless loop around model calls',
    explanation: 'Nothing ends the loop when the model never says that it is done.',
    fix: 'Count the turns and stop at a limit.',
    form: /\bwhile\s*(?:True\s*:|\(\s*true\s*\)\s*\{)/g,
    when: (match, text) => {
      const near = text.slice(match.index, match.index + 1_500);
      return (
        /(?:chat\.completions|messages|responses)\.create\s*\(|\.invoke\s*\(|generate_content\s*\(/.test(
          near,
        ) && !/\bmax_|\bturns?\b|\bcount\b|range\(|\bsteps?\b|\bi\s*\+=|\battempt/i.test(near)
      );
    },
  },
  {
    ruleId: 'bypass-permissions',
    severity: 'high',
    title: 'An agent runs without asking for permission',
    explanation: 'Every tool call of the model is carried out, also those that text from outside asked for.',
    fix: 'Use the default permission mode and allow single tools.',
    form: /permission_?[mM]ode["']?\s*[:=]\s*["'](?:bypassPermissions|dontAsk)["']|dangerously[-_]?[sS]kip[-_]?[pP]ermissions|dangerously-bypass-approvals|approval_?[pP]olicy["']?\s*[:=]\s*["']never["']/g,
  },
  {
    ruleId: 'dangerous-langchain',
    severity: 'high',
    title: 'LangChain with dangerous tools switched on',
    explanation: 'Python REPL, shell tools and pandas agents run code that the model writes.',
    fix: 'Use a sandboxed interpreter, or tools that do one thing.',
    where: isPython,
    form: /allow_dangerous_(?:code|requests|deserialization|tools)\s*=\s*True|\b(?:PythonREPLTool|ShellTool|PythonREPL|BashProcess)\s*\(/g,
  },
  {
    ruleId: 'autogen-local-exec',
    severity: 'high',
    title: 'Code that the model writes runs on this machine',
    explanation: 'A local executor or use_docker=False gives the code every right of this process.',
    fix: 'Run it in a container without network.',
    where: isPython,
    form: /use_docker["']?\s*[:=]\s*False|\bLocalCommandLineCodeExecutor\s*\(|\bUnsafeLocalCodeExecutor\s*\(|additional_authorized_imports\s*=\s*\[\s*["']\*/g,
  },
  {
    ruleId: 'script-tool-shell',
    severity: 'critical',
    title: 'A tool runs shell commands that the model writes',
    explanation: 'Text that the model read can make it call this tool with any command.',
    fix: 'Use execFile with fixed programs, ask a person first, or run it in a sandbox.',
    where: isScript,
    form: /\bexecute\s*:\s*(?:async\s*)?\(?\s*\{?[^)=]{0,300}\}?\s*\)?\s*=>\s*\{?/g,
    when: (match, text) => {
      const body = text.slice(match.index + match[0].length, match.index + match[0].length + 1_500);
      return (
        /\b(?:exec|execSync|execAsync|spawnSync|spawn)\s*\(\s*(?:`[^`]*\$\{|[a-z]\w*\s*[,)])/i.test(
          body.split(/\n\s*\}\s*[,)]/)[0] ?? '',
        ) && /child_process/.test(text)
      );
    },
  },
  {
    ruleId: 'script-tool-eval',
    severity: 'critical',
    title: 'Code that a model writes is evaluated',
    explanation: 'eval, new Function and vm run any JavaScript with the rights of this process.',
    fix: 'Parse the expression with a small grammar, or run it in a sandbox process.',
    where: isScript,
    form: /(?<![.\w])eval\s*\(\s*(?!["'`])\w|\bnew\s+Function\s*\(|\bvm\.runIn(?:This|New)?Context\s*\(/g,
    when: (_, text) =>
      /\b(?:openai|anthropic|langchain|ai-sdk|from\s+['"]ai['"]|@modelcontextprotocol|tool\s*\()/i.test(text),
  },
  {
    ruleId: 'tls-off',
    severity: 'high',
    title: 'Certificates of the model server are not checked',
    explanation: 'Whoever sits between reads prompts and keys and can change the answers.',
    fix: 'Add the authority of the server instead.',
    form: /\bverify\s*=\s*False|rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED["']?\]?\s*=\s*["']?0/g,
  },
  {
    ruleId: 'output-as-html',
    severity: 'high',
    title: 'An answer of a model is put into a page as HTML',
    explanation: 'The model can be led to write a script or an image that sends data away.',
    fix: 'Show it as text, or clean it (markdown without HTML, DOMPurify).',
    where: isScript,
    form: /dangerouslySetInnerHTML\s*=\s*\{\{\s*__html\s*:\s*\w|\.innerHTML\s*=\s*(?!["'`]\s*["'`]?)\w/g,
    when: (match, text) =>
      /\b(?:message|answer|completion|response|content|reply|output)\b/i.test(
        text.slice(match.index, match.index + 120),
      ) && !/DOMPurify|sanitize/i.test(text),
  },
]);

const shifted = (match: RegExpExecArray): RegExpExecArray => {
  const copy = [...match] as unknown as RegExpExecArray;
  copy[0] = match[0].replace(/\{$/, '').trimEnd();
  copy.index = match.index;
  return copy;
};
