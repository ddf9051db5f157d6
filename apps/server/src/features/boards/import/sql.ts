import type { PanelInput } from '@candela/contract';

/** A panel of a statement of another product. Panels of statements are made where the platform runs them. */
export const sqlPanel = (
  _sql: string,
  _type: PanelInput['visual']['type'],
  _properties: Readonly<Record<string, unknown>>,
): { panel: PanelInput | undefined; reason: string } => ({
  panel: undefined,
  reason: 'It is written in SQL, which boards do not run yet.',
});
