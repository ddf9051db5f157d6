type Pressed = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'getModifierState'>;

/**
 * What a key is registered as; undefined with Alt, which belongs to browser and system. Unless Alt was needed to type the
 * character at all: many layouts have `[` on Option (a Mac's Alt) or on AltGr, which Windows tells as Ctrl and Alt.
 */
export function combinationOf(event: Pressed, mac: boolean): string | undefined {
  const command = event.metaKey || event.ctrlKey;
  const isTyped =
    event.key.length === 1 && (event.getModifierState('AltGraph') || (mac && event.altKey && !command));
  if (isTyped) return event.key;
  if (event.altKey) return undefined;
  return command ? `mod+${event.key.toLowerCase()}` : event.key;
}
