import { oneOf, preference } from './preference.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The person's choice; `public/theme.js` reads the same key before the first paint. */
export const themePreference = preference<Theme>('theme', 'system', oneOf('system', 'light', 'dark'));

const systemDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

function apply(): void {
  const theme = themePreference.get();
  const dark = theme === 'dark' || (theme === 'system' && systemDark().matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  themePreference.set(theme);
  apply();
}

/** Follows the operating system from now on while the choice is `system`. */
export function followSystemTheme(): void {
  systemDark().addEventListener('change', apply);
}

export const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
