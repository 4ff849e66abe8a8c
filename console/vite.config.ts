import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { themeVariables } from './src/theme/theme-variables.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export default defineConfig({
  root: pathOf('.'),
  base: '/console/', // of the hashed files only: routes are those of the router
  plugins: [react(), themeVariables()],
  build: {
    outDir: pathOf('../dist/console'),
    emptyOutDir: true,
    assetsInlineLimit: 0, // each file has a name with its hash
    modulePreload: { polyfill: false }, // the polyfill is an inline script
    target: ['chrome120', 'firefox121', 'safari17'],
    rolldownOptions: { input: ['index.html', 'console.html', 'app.html'].map(pathOf) },
  },
  server: { proxy: { '/api': { target: 'http://localhost:3000', ws: true } } },
});
