import { createTheme, type MantineColorsTuple } from '@mantine/core';

const petrol: MantineColorsTuple = [
  '#e6f6f8',
  '#d3e9ed',
  '#a7d2da',
  '#78bac6',
  '#51a6b5',
  '#3899aa',
  '#2893a5',
  '#157688',
  '#0b5c6b',
  '#004a58',
];

/** The theme of both pages. `theme-variables.ts` turns it into a style sheet when the pages are built. */
export const theme = createTheme({
  colors: { petrol },
  primaryColor: 'petrol',
  primaryShade: { light: 8, dark: 7 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  headings: { fontWeight: '650' },
});
