import type { AgentId, CommandFor } from '../agent.ts';

/** In every line of ours, whatever the paths in it: how an entry is known again. */
export const MARK = 'candela-coding';

/** Events after which the drainer is started, if it does not run: a turn's borders. */
const STARTS =
  /^(?:session[._]?(?:start|end|created|idle)|userprompt.*|before(?:submitprompt|agent)|pre_user_prompt|chat\.message|stop|agentstop|afteragent|post_cascade_response)$/i;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The shell line of a hook: it writes its input to one file and is done. It ends with 0 whatever happens, writes
 * nothing but the answer that the agent waits for, and starts no interpreter; the drainer it leaves behind does the rest.
 */
export function lineFor(
  agent: AgentId,
  options: { readonly spool: string; readonly drainer: readonly string[] },
): CommandFor {
  return (event, answer, shell) => {
    if (shell === 'powershell') return powershellLine(agent, event, options);
    const file = `"$D/${agent}.${event}.$PPID.$$`;
    // Other agents run Claude Code's hooks too.
    const only = agent === 'claude-code' ? '[ -n "$CLAUDECODE" ]&&' : '';
    const write = `${only}[ -d "$D" ]&&[ ! -e "$D/full" ]&&{ umask 077;set -C;cat>${file}"||cat>${file}.b";} 2>/dev/null`;
    const drainer = options.drainer.map((word) => quoted(word)).join(' ');
    // The streams are redirected in the child alone: a shell that redirects its own keeps copies, and the child would hold them
    // open for the agent, which waits for their end.
    const start =
      STARTS.test(event) || event === 'EVENT'
        ? `;${only || '[ -d "$D" ]&&'}{ { read -r P X<"$D/../drainer.pid"&&kill -0 "$P";} 2>/dev/null||{ { setsid ${drainer}||${drainer};} </dev/null >/dev/null 2>&1& };}`
        : '';
    const say = answer === undefined ? '' : `;echo ${quoted(answer)}`;
    return `: ${MARK};D=${quoted(options.spool)};${write}${start}${say};exit 0`;
  };
}

const powerQuoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The same in PowerShell. It was never run on Windows: its text follows the documents of PowerShell 5.1. */
function powershellLine(
  agent: AgentId,
  event: string,
  { spool, drainer }: { readonly spool: string; readonly drainer: readonly string[] },
): string {
  const write = `if((Test-Path -LiteralPath $D)-and-not(Test-Path -LiteralPath "$D\\full")){$F=[IO.File]::Open("$D\\${agent}.${event}.$PID.0",'CreateNew');try{[Console]::OpenStandardInput().CopyTo($F)}finally{$F.Dispose()}}`;
  const [program = '', ...rest] = drainer;
  // Start-Process joins its arguments with spaces and quotes none of them.
  const words = rest.map((word) => powerQuoted(`"${word}"`)).join(',');
  const start = STARTS.test(event)
    ? `;try{$P=0;try{$P=[int]((Get-Content -LiteralPath "$D\\..\\drainer.pid" -TotalCount 1) -split ' ')[0]}catch{};if((Test-Path -LiteralPath $D)-and-not(Get-Process -Id $P -ErrorAction SilentlyContinue|Where-Object Id -ne 0)){Start-Process -WindowStyle Hidden -FilePath ${powerQuoted(program)} -ArgumentList ${words}}}catch{}`
    : '';
  return `$null='${MARK}';$D=${powerQuoted(spool)};try{${write}}catch{}${start};exit 0`;
}
