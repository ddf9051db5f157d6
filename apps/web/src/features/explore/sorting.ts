/** The next order when a column head is clicked: largest first, smallest first, then the page's own order. */
export function nextSort(current: string, field: string): string | undefined {
  if (current === `-${field}`) return field;
  if (current === field) return field === 'start' ? '-start' : undefined;
  return `-${field}`;
}
