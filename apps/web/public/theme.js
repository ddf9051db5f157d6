// Runs before the first paint so that a dark screen never flashes white. A file, not an inline script: the content
// security policy forbids those.
(() => {
  let choice = 'system';
  try {
    choice = localStorage.getItem('candela.theme') ?? 'system';
  } catch {
    // Storage may be forbidden; the system theme is right then.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
