// Puts the API and the packages that consist of many small ES modules together into dist/api/main.js: reading two thousand
// files one by one is half of a start. What is CommonJS or native stays in node_modules. Run by `npm run build`; does
// nothing when neither the build nor the packages have changed.
import { existsSync, readFileSync, statSync } from 'node:fs';

// Two folders below the root, as the modules are that look for files beside `dist`.
const FOLDER = 'dist/api';
const SOURCES = ['dist/.tsbuildinfo', 'node_modules/.package-lock.json', 'scripts/bundle.mjs'];

const TOGETHER = [
  ...['common', 'core', 'mapped-types', 'platform-express', 'swagger', 'terminus', 'typeorm'].map(
    (name) => `@nestjs/${name}`,
  ),
  'es-toolkit',
  ...[
    'viem',
    'abitype',
    'ox',
    '@noble/curves',
    '@noble/hashes',
    '@scure/base',
    '@scure/bip32',
    '@scure/bip39',
  ],
  ...['jose', 'lossless-json', 'uuid'],
];

const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/');
const isTogether = (id) => TOGETHER.some((name) => id === name || id.startsWith(`${name}/`));

/** Our own modules with their source maps, so that a stack names the line in src. */
const withSourceMap = {
  name: 'with-source-map',
  load(id) {
    if (!existsSync(`${id}.map`) || id.includes('/node_modules/')) return null;
    return { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') };
  },
};

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (changedAt(`${FOLDER}/main.js`) < Math.max(...SOURCES.map(changedAt))) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: 'dist/main.js',
    platform: 'node',
    external: (id) => isPackage(id) && !isTogether(id),
    plugins: [withSourceMap],
  });
  await bundle.write({ dir: FOLDER, format: 'esm', sourcemap: true, cleanDir: true });
}
