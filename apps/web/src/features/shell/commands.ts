import { parseTraceId } from '@candela/kernel';

export interface Command {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly hint?: string;
  run(): void;
}

/** Commands whose label, group or hint has every word of the query; those whose label starts with it first. */
export function matchCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...commands];
  const scored: { command: Command; score: number }[] = [];
  for (const command of commands) {
    const label = command.label.toLowerCase();
    const all = `${label} ${command.group.toLowerCase()} ${command.hint?.toLowerCase() ?? ''}`;
    if (!words.every((word) => all.includes(word))) continue;
    const first = words[0] ?? '';
    scored.push({ command, score: label.startsWith(first) ? 0 : label.includes(first) ? 1 : 2 });
  }
  return scored.sort((a, b) => a.score - b.score).map((entry) => entry.command);
}

/** The trace id in what was typed or pasted: alone, dashed like a UUID, or inside a traceparent header. */
export function traceIdIn(text: string): string | undefined {
  const bare = text.trim().toLowerCase();
  const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(bare);
  return parseTraceId(traceparent?.[1] ?? bare.replaceAll('-', ''));
}
