import type { AnnotationItem } from '@candela/contract';

/** What a reviewer said of an item, in a line. */
export function labelText({ reviewer, values, comment, skipped }: AnnotationItem['labels'][number]): string {
  const said = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const what = skipped === null ? said.join(', ') : `skipped, ${skipped}`;
  return `${reviewer}: ${what}${comment === null || comment === skipped ? '' : ` (${comment})`}`;
}
