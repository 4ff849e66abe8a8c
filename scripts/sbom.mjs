// `npm run sbom`: writes the production packages as CycloneDX JSON to dist/sbom.json, reproducibly from the lock file.
// Replaces `npm sbom --omit dev`, which omits packages that development needs, too, such as pg.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url);
const INSTALLED_AT = 'node_modules/';
/** Licences that a package names in a text only, by name and version; read the text before you add a version. */
const LICENCES_IN_TEXTS = {
  'dejavu-fonts-ttf@2.37.3': 'Bitstream-Vera',
  'pause@0.0.1': 'MIT', // a dependency of passport
  'png-js@2.0.0': 'MIT', // a dependency of pdfkit
};

const read = (path) => JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));

/** Tools and types with which the workspace console/ is built. Vite bundles its other packages into the pages. */
const BUILD_ONLY = /^(vite$|type-fest$|@vitejs\/|@types\/)/;

/**
 * The lock file's entries that reach production, by path: those that `npm install --omit=dev` may install, and those that are
 * bundled into the pages of the console.
 */
export function productionPackages() {
  const { packages } = read('package-lock.json');
  const bundled = bundledPaths(packages);
  return Object.entries(packages).filter(
    ([path, { dev, link }]) => path.includes(INSTALLED_AT) && !link && (!dev || bundled.has(path)),
  );
}

function bundledPaths(packages) {
  const found = new Set();
  const follow = (name, from) => {
    if (BUILD_ONLY.test(name)) return;
    const path = [
      `${from}/${INSTALLED_AT}${name}`,
      `console/${INSTALLED_AT}${name}`,
      INSTALLED_AT + name,
    ].find((candidate) => candidate in packages && !packages[candidate].link);
    if (!path || found.has(path)) return;
    found.add(path);
    for (const dependency of Object.keys(packages[path].dependencies ?? {})) follow(dependency, path);
  };
  for (const name of Object.keys(packages.console.devDependencies)) follow(name, 'console');
  return found;
}

export function sbom() {
  const { name, version, license, description } = read('package.json');
  const components = new Map();
  for (const [path, entry] of productionPackages()) {
    const component = componentOf(path, entry);
    components.set(component['bom-ref'], component);
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': purlOf(name, version),
        type: 'application',
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl: purlOf(name, version),
      },
    },
    components: [...components.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
}

function componentOf(path, entry) {
  const name = entry.name ?? path.slice(path.lastIndexOf(INSTALLED_AT) + INSTALLED_AT.length);
  const purl = purlOf(name, entry.version);
  const [algorithm, hash] = entry.integrity.split('-');
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version: entry.version,
    scope: entry.optional || entry.devOptional ? 'optional' : 'required',
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }],
    licenses: [
      {
        license: {
          id: LICENCES_IN_TEXTS[`${name}@${entry.version}`] ?? entry.license ?? oldStyleLicence(path),
        },
      },
    ],
    purl,
  };
}

/** Old packages have a list `licenses` instead of `license`, which the lock file does not contain. */
function oldStyleLicence(path) {
  const [licence] = read(`${path}/package.json`).licenses ?? [];
  if (!licence) throw new Error(`${path} states no licence`);
  return licence.type;
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(new URL('dist/', ROOT), { recursive: true });
  const document = sbom();
  writeFileSync(new URL('dist/sbom.json', ROOT), `${JSON.stringify(document, null, 2)}\n`);
  process.stdout.write(`dist/sbom.json: ${document.components.length} packages\n`);
}
