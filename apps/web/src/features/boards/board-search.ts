import type { BoardVariable, Panel } from '@candela/contract';
import { flagParam, textParam } from '../../lib/search-params.ts';

/** What the list of boards has in its address. */
export interface BoardsSearch {
  search?: string;
  /** A panel that is to be put on a board, as JSON: see `chart-this.ts`. */
  add?: string;
}

const MOST_PANEL = 8_000;

export function validateBoardsSearch(raw: Record<string, unknown>): BoardsSearch {
  const search = textParam(raw, 'search', 200);
  const add = textParam(raw, 'add', MOST_PANEL);
  return { ...(search === undefined ? {} : { search }), ...(add === undefined ? {} : { add }) };
}

/** What a board has in its address: its variables by name, and whether it fills the screen. */
export interface BoardSearch {
  /** Values of variables, as JSON: name to values. */
  vars?: string;
  wall?: true;
  add?: string;
}

export function validateBoardSearch(raw: Record<string, unknown>): BoardSearch {
  const vars = textParam(raw, 'vars', 8_000);
  const add = textParam(raw, 'add', MOST_PANEL);
  return {
    ...(vars === undefined ? {} : { vars }),
    ...(flagParam(raw, 'wall') ? { wall: true } : {}),
    ...(add === undefined ? {} : { add }),
  };
}

/** The chosen values that the board has variables for; what cannot be read chooses nothing. */
export function chosenOf(
  text: string | undefined,
  variables: readonly BoardVariable[],
): Readonly<Record<string, string[]>> {
  let read: unknown;
  try {
    read = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  if (typeof read !== 'object' || read === null) return {};
  const given = new Map<string, unknown>(Object.entries(read));
  return Object.fromEntries(
    variables.flatMap(({ name, multi }) => {
      const values = given.get(name);
      if (!Array.isArray(values)) return [];
      const texts = values.filter((value) => typeof value === 'string').slice(0, multi ? 50 : 1);
      return [[name, texts]];
    }),
  );
}

/** A panel as a part of an address, and back; undefined: it is none. */
export const panelText = (title: string, panel: Panel): string => JSON.stringify({ title, ...panel });
export function panelOfText(text: string | undefined): { title: string; panel: Panel } | undefined {
  try {
    const { title, query, visual } = JSON.parse(text ?? '') as { title: string } & Panel;
    // The server looks at it closely when it is asked or saved.
    return typeof query?.kind === 'string' && typeof visual?.type === 'string'
      ? { title: String(title), panel: { query, visual } }
      : undefined;
  } catch {
    return undefined;
  }
}
