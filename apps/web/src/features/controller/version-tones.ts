/** Colours of what became of a pushed configuration. */
export const VERSION_TONES = {
  offered: 'accent',
  applying: 'accent',
  applied: 'ok',
  failed: 'danger',
  superseded: 'plain',
} as const;
