import { isProjectId } from '../../api/client.ts';
import { preference } from '../../lib/preference.ts';

const isKept = (text: string): text is string => text === '' || isProjectId(text);

/** The project that was open last in this browser: where an address without one leads to. */
export const lastProject = preference<string>('project', '', isKept);

/**
 * The project an address without one is to name: of several, the one that was open last, else the first. Undefined:
 * the address is complete as it is, for one project needs no name.
 */
export function projectToOpen(
  inAddress: string,
  reached: readonly { readonly id: string }[],
): string | undefined {
  if (inAddress !== '' || reached.length < 2) return undefined;
  const last = lastProject.get();
  return reached.some((project) => project.id === last) ? last : reached[0]?.id;
}
