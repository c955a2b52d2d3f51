import { createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans SC", sans-serif',
  cursorType: 'pointer',
});
