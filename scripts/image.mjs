// Writes what the image runs to the folder `image`: the bundles of the API and of the commands, the pages, and those packages that are
// not bundled. Run by docker/Dockerfile after `npm run build`.
import { cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, EXTERNAL } from './bundle.mjs';

const TARGET = 'image';
/** Found by name while the API runs: the files of /api/docs, the fonts of PDF, and a package of which Terminus only asks whether it is there. */
const FOUND_BY_NAME = {
  withDependencies: ['swagger-ui-dist'],
  alone: ['@nestjs/typeorm', 'dejavu-fonts-ttf'],
};
/** Parts of `dist` beside the bundles, whose paths src/config names. */
const PARTS = ['api', 'audit-pack', 'build-info.json', 'console'];
/** Files of packages that no program reads, for example for bundlers, and the fonts beside those of src/http/documents. */
const NOT_READ =
  /\.(map|[cm]?ts)$|\/typeorm\/browser\/|\/swagger-ui-es-|\/ttf\/(?!DejaVuSansCondensed(-Bold)?\.ttf$)./;

const { packages } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The path of a package as it resolves from another one, which `from` names; from the root if that is empty. */
function pathOf(name, from) {
  const path = join(from, 'node_modules', name);
  if (path in packages) return path;
  return from === '' ? undefined : pathOf(name, from.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, ''));
}

/** Adds the path of a package and those of all packages that it requires. */
function addPackage(paths, name, from = '') {
  const path = pathOf(name, from);
  if (path === undefined || paths.has(path)) return; // optional packages may be missing
  paths.add(path);
  const {
    dependencies: required,
    optionalDependencies,
    peerDependencies,
    peerDependenciesMeta,
  } = packages[path];
  const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta?.[peer]?.optional);
  for (const next of [...Object.keys({ ...required, ...optionalDependencies }), ...peers])
    addPackage(paths, next, path);
}

const paths = new Set(FOUND_BY_NAME.alone.map((name) => pathOf(name, '')));
const isNeeded = (name) =>
  EXTERNAL.some((beginning) => name.startsWith(beginning)) || FOUND_BY_NAME.withDependencies.includes(name);
for (const name of [...Object.keys(dependencies), ...FOUND_BY_NAME.withDependencies])
  if (isNeeded(name)) addPackage(paths, name);

for (const path of paths)
  cpSync(path, join(TARGET, path), {
    recursive: true,
    // Packages inside this one are copied for themselves.
    filter: (file) => !file.slice(path.length).includes('node_modules') && !NOT_READ.test(file),
  });
mkdirSync(join(TARGET, 'dist'), { recursive: true });
for (const part of PARTS) cpSync(join('dist', part), join(TARGET, 'dist', part), { recursive: true });
await bundle('dist/operations/run.js', 'dist/commands');
renameSync('dist/commands', join(TARGET, 'dist/operations'));
