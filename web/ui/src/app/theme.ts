import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import alert from './Alert.module.css';
import { danger, dark, light, onLight } from './colours';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans SC", sans-serif',
  cursorType: 'pointer',
  components: {
    Alert: { classNames: { message: alert.message } },
    Checkbox: { defaultProps: { radius: 'sm' } },
    // A state that is cut off tells nothing.
    Badge: { styles: { root: { flexShrink: 0, minWidth: 'max-content' } } },
  },
});

function common({ dimmed, placeholder, error }: typeof light): Record<string, string> {
  return {
    '--mantine-color-dimmed': dimmed, '--mantine-color-placeholder': placeholder, '--mantine-color-error': error,
    '--mantine-color-red-filled': danger.filled, '--mantine-color-red-filled-hover': danger.hover,
  };
}

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...common(light),
    ...Object.fromEntries(Object.entries(onLight).flatMap(([name, colour]) => [
      [`--mantine-color-${name}-light-color`, colour],
      [`--mantine-color-${name}-text`, colour],
    ])),
  },
  dark: { ...common(dark), '--mantine-color-anchor': 'var(--mantine-color-indigo-3)' },
});
