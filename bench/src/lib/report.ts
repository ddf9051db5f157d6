import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from './machine.ts';
import { type Findings, markdownTable } from './table.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'benchmarks.md');

/** The findings as they stand in the document: command, machine, date, table, notes. */
function section(findings: Findings, date: Date): string {
  const { cpu, cores, memoryGib, disk, system, node } = machine();
  return [
    `Command: \`${findings.command}\``,
    '',
    `Machine: ${cpu}, ${cores} cores, ${memoryGib} GiB memory, ${disk}, ${system}, Node ${node}. Date: ${date.toISOString().slice(0, 10)}.`,
    '',
    markdownTable(findings.figures),
    '',
    ...findings.notes.map((note) => `- ${note}`),
  ].join('\n');
}

/** Replaces the part of `text` between the markers of the bench. Throws when the markers are missing. */
export function replaceSection(text: string, bench: string, content: string): string {
  const open = `<!-- bench:${bench} -->`;
  const close = `<!-- /bench:${bench} -->`;
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no section marked ${open} ... ${close}`);
  return `${text.slice(0, from + open.length)}\n${content}\n${text.slice(to)}`;
}

export function writeSection(findings: Findings): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, replaceSection(text, findings.bench, section(findings, new Date())));
}
