/** Goes on as somebody else than before: the page is loaded anew, so that nothing read before stays in memory. */
export function enter(path: string): void {
  location.replace(path);
}
