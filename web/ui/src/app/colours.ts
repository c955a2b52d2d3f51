// Texts that the palette alone would make too pale: WCAG 2.2 AA asks for a contrast of 4.5 to 1 (tests/colours.test.ts).

/** Texts on a badge or alert of their own colour, in the light theme. */
export const onLight = {
  teal: '#066649',
  gray: '#495057',
  red: '#b02525',
  orange: '#a33b00',
  yellow: '#7d4e00',
  blue: '#1864ab',
  indigo: '#364fc7',
} as const;

/** Behind the white text of a button that deletes or cancels, in both themes. */
export const danger = { filled: '#c92a2a', hover: '#b02525' };

export const light = { dimmed: '#5c636a', placeholder: '#686f77', error: '#b02525' };
export const dark = { dimmed: '#adadad', placeholder: '#a3a3a3', error: '#ff8787' };
