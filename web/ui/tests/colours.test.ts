import { DEFAULT_THEME } from '@mantine/core';
import { describe, expect, it } from 'vitest';
import { danger, dark, light, onLight } from '../src/app/colours';

type Rgb = [number, number, number];

function rgb(text: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as Rgb;
}

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [dim, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

function over(colour: string, alpha: number, ground: Rgb): Rgb {
  return rgb(colour).map((part, at) => part * alpha + (ground[at] ?? 0) * (1 - alpha)) as Rgb;
}

const white = rgb('#ffffff');
const night = rgb('#242424');

describe('colours of texts', () => {
  it.each(Object.entries(light))('light: %s', (_, colour) => {
    expect(contrast(rgb(colour), white)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(rgb(colour), rgb('#f1f3f5'))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(Object.entries(dark))('dark: %s', (_, colour) => {
    expect(contrast(rgb(colour), night)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(rgb(colour), rgb('#2e2e2e'))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(Object.entries(danger))('white on a button that deletes: %s', (_, colour) => {
    expect(contrast(white, rgb(colour))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(Object.entries(onLight))('badges: %s', (name, colour) => {
    const shades = DEFAULT_THEME.colors[name] ?? [];
    expect(contrast(rgb(colour), over(shades[7] ?? '', 0.12, white))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(rgb(shades[2] ?? ''), over(shades[5] ?? '', 0.2, night))).toBeGreaterThanOrEqual(4.5);
  });
});
