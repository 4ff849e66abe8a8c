// `npm run sbom`: what production is made of, as CycloneDX JSON, from the lock file; the same lock gives the same file.
// `npm sbom --omit dev` leaves out what development needs as well, pg for one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url);
const INSTALLED_AT = 'node_modules/';
/** Licences that a package states in its Readme.md only, by name and version: each version is read before it is listed. */
const LICENCES_IN_README = { 'pause@0.0.1': 'MIT' }; // passport depends on it

const read = (path) => JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));

/** The lock's entries that `npm install --omit=dev` may put in place, by where they stand. */
export function productionPackages() {
  return Object.entries(read('package-lock.json').packages).filter(([path, { dev }]) => path !== '' && !dev);
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
          id: entry.license ?? LICENCES_IN_README[`${name}@${entry.version}`] ?? oldStyleLicence(path),
        },
      },
    ],
    purl,
  };
}

/** Packages from before `license` was one word have a list of `licenses`, which the lock does not take over. */
function oldStyleLicence(path) {
  const [licence] = read(`${path}/package.json`).licenses ?? [];
  if (!licence) throw new Error(`${path} names no licence`);
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
