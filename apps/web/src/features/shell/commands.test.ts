import { describe, expect, it } from 'vitest';
import { type Command, matchCommands, traceIdIn } from './commands.ts';

const command = (label: string, group = 'Page'): Command => ({ id: label, label, group, run() {} });

describe('command palette', () => {
  it('finds by words in label and group, best label first', () => {
    const commands = [command('Go to retraced'), command('Traces'), command('Dark', 'Theme')];
    expect(matchCommands(commands, 'trace').map((c) => c.label)).toEqual(['Traces', 'Go to retraced']);
    expect(matchCommands(commands, 'theme da').map((c) => c.label)).toEqual(['Dark']);
    expect(matchCommands(commands, ' ')).toHaveLength(3);
    expect(matchCommands(commands, 'zzz')).toEqual([]);
  });
  it('reads a trace id however it was copied', () => {
    const id = '0af7651916cd43dd8448eb211c80319c';
    expect(traceIdIn(`  ${id.toUpperCase()} `)).toBe(id);
    expect(traceIdIn(`00-${id}-b7ad6b7169203331-01`)).toBe(id);
    expect(traceIdIn('0af76519-16cd-43dd-8448-eb211c80319c')).toBe(id);
    expect(traceIdIn('service:checkout')).toBeUndefined();
  });
});
