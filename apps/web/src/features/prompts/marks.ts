import { placeholdersOf } from '@candela/contract/template';
import type { Mark } from '../../ui/code-editor-view.tsx';

/** Where the variables of a template stand, found as the renderer finds them. */
export const marksOf = (text: string): Mark[] =>
  placeholdersOf(text).map(({ start, end }) => ({ from: start, to: end }));
