/** How much larger than usual the browser's text is: what is measured in pixels must grow with it. */
export const textScale = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

/** A length that grows with the browser's text, from what it is in pixels at the usual size. */
export const rem = (pixels: number): string => `${pixels / 16}rem`;
