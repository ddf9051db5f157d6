import { expect, it } from 'vitest';
import { agentNamed } from '../agents/index.ts';
import { lineFor } from './line.ts';

const line = lineFor('copilot-cli', {
  spool: "C:\\Users\\O'Neil\\candela\\coding\\spool",
  drainer: ['C:\\Program Files\\node.exe', 'C:\\a b\\candela.mjs', 'coding', 'flush', '--background'],
});

it('has a line for PowerShell that writes one new file, ends with 0 and swallows every error', () => {
  const text = line('postToolUse', undefined, 'powershell');
  expect(text).toBe(
    `$null='candela-coding';$D='C:\\Users\\O''Neil\\candela\\coding\\spool';try{` +
      `if((Test-Path -LiteralPath $D)-and-not(Test-Path -LiteralPath "$D\\full")){` +
      `$F=[IO.File]::Open("$D\\copilot-cli.postToolUse.$PID.0",'CreateNew');` +
      `try{[Console]::OpenStandardInput().CopyTo($F)}finally{$F.Dispose()}}}catch{};exit 0`,
  );
});

it('starts the drainer in PowerShell at the borders of a turn, quoted for spaces', () => {
  const text = line('sessionStart', undefined, 'powershell');
  expect(text).toContain(
    `Start-Process -WindowStyle Hidden -FilePath 'C:\\Program Files\\node.exe' -ArgumentList ` +
      `'"C:\\a b\\candela.mjs"','"coding"','"flush"','"--background"'`,
  );
  expect(text.endsWith('}catch{};exit 0')).toBe(true);
});

it('is in the files of the agents that have a field for it, beside the line for sh', () => {
  const whole = JSON.parse(agentNamed('copilot-cli')?.install.whole?.(line) ?? '') as {
    hooks: Record<string, { bash: string; powershell: string }[]>;
  };
  for (const hooks of Object.values(whole.hooks)) {
    expect(hooks[0]?.bash).toMatch(/^: candela-coding;/);
    expect(hooks[0]?.powershell).toMatch(/^\$null='candela-coding';/);
  }
  for (const { value } of agentNamed('windsurf')?.install.entries(line) ?? [])
    expect(value).toMatchObject({ powershell: expect.stringMatching(/^\$null=/) as string });
});
