import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import type { Plugin } from 'vite';
import { theme } from './theme.ts';

const ID = 'virtual:theme-variables.css';

const declarations = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}:${value};`)
    .join('');

/**
 * Provides the theme's variables as a style sheet. Mantine would write them into a `<style>` element at runtime, which the content
 * security policy forbids.
 */
export function themeVariables(): Plugin {
  return {
    name: 'theme-variables',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load(id) {
      if (id !== `\0${ID}`) return undefined;
      const { variables, light, dark } = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
      return [
        `:root{${declarations(variables)}}`,
        `:root[data-mantine-color-scheme="light"]{${declarations(light)}}`,
        `:root[data-mantine-color-scheme="dark"]{${declarations(dark)}}`,
      ].join('\n');
    },
  };
}
