import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealLog } from '../fixtures/log-reader.js';
import { NpmProject } from '../fixtures/npm-projects.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const README = readFileSync('client/README.md', 'utf8');
const VERSIONS = {
  dependencies: { react: '19.3.1', 'react-dom': '19.3.1' },
  devDependencies: {
    '@types/node': '24.19.2',
    '@types/react': '19.3.3',
    '@types/react-dom': '19.3.0',
    '@vitejs/plugin-react': '6.3.0',
    typescript: '7.0.2',
    vite: '8.4.0',
  },
};

/** The examples of README.md in this language, in order. */
const examples = (language: string) =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

/** The files that `npm create vite -- --template react-ts` writes, with the component of README.md. */
const VITE_FILES = {
  'index.html': '<div id="root"></div><script type="module" src="/src/main.tsx"></script>',
  'vite.config.ts':
    "import react from '@vitejs/plugin-react';\nimport { defineConfig } from 'vite';\nexport default defineConfig({ plugins: [react()] });\n",
  'tsconfig.json': {
    compilerOptions: {
      target: 'es2023',
      lib: ['ES2023', 'DOM'],
      module: 'esnext',
      types: ['vite/client'],
      moduleResolution: 'bundler',
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: true,
      moduleDetection: 'force',
      noEmit: true,
      jsx: 'react-jsx',
      erasableSyntaxOnly: true,
      strict: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      exactOptionalPropertyTypes: true,
    },
    include: ['src'],
  },
  'src/main.tsx': `import { createRoot } from 'react-dom/client';
import { ProofError } from 'stablecoin-platform-client/verify';
import { Balance, signIn } from './balance.tsx';

await signIn('a token').catch((error: unknown) => console.log(error instanceof ProofError));
createRoot(document.getElementById('root')!).render(<Balance />);
`,
  'src/balance.tsx': examples('tsx').join('\n'),
};

/** The program of README.md, compiled for all versions of Node as users compile it. */
const PROGRAM_FILES = {
  'program.mts': examples('ts').join('\n'),
  'pack.mts': `import { verifyPack } from 'stablecoin-platform-client/audit-pack';
console.log((await verifyPack('.')).wrong.length > 0);
`,
  'tsconfig.program.json': {
    compilerOptions: { module: 'nodenext', target: 'es2022', types: ['node'], strict: true, outDir: 'out' },
    files: ['program.mts', 'pack.mts'],
  },
};

describe('The package of the typed client', () => {
  let platform: TestPlatform;
  let project: NpmProject;

  beforeAll(async () => {
    platform = await startPlatform();
    await sealLog(platform);
    project = new NpmProject();
    await project.run('npm', 'pack', join(process.cwd(), 'client'));
    const [tarball] = readdirSync(project.folder);
    project.write({
      'package.json': { name: 'new-project', private: true, type: 'module', ...VERSIONS },
      ...VITE_FILES,
      ...PROGRAM_FILES,
    });
    await project.install(`./${tarball}`);
    await project.run('npx', 'tsc', '-p', 'tsconfig.program.json');
  });
  afterAll(async () => {
    project?.remove();
    await platform?.stop();
  });

  it('contains nothing but its compiled modules, their types and its texts', () => {
    const folder = join(project.folder, 'node_modules/stablecoin-platform-client');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const names = files.map(({ name }) => name);
    expect(names.filter((name) => !/\.(js|d\.ts)$/.test(name)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(names.filter((name) => name.includes('spec'))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['client.js', 'verify-pack.js', 'routes.d.ts']));
  });

  it('type-checks and builds in a new Vite project with React, without modules of Node', async () => {
    await project.run('npx', 'tsc', '-p', '.');
    const output = await project.run('npx', 'vite', 'build');
    expect(output).toContain('built in');
    expect(output).not.toMatch(/externalized|warn/i);
  });

  it.each([
    ['20', ['--experimental-websocket']],
    ['22', []],
    ['24', []],
  ])('runs the program of its README.md on Node %s', async (version, options) => {
    const program = readFileSync(join(project.folder, 'out/program.mjs'), 'utf8')
      .replaceAll('http://localhost:3000', platform.baseUrl)
      .replaceAll('http://localhost:3001', platform.outside.providers.url)
      .replaceAll('ann@example.org', `node-${version}@example.org`);
    project.write({ [`program-${version}.mjs`]: program });
    const output = await project.runOnNode(version, ...options, '--no-warnings', `program-${version}.mjs`);
    expect(output.trim().split('\n')).toEqual([
      '0.00 USDC are available.',
      '1000.00 USDC are available now.',
      '999000.00 USDC are missing.', // 1000000.00 − 1000.00
      'true',
      "[ '1000.00 USDC' ]",
      expect.stringMatching(/^\{ limit: 1000000, remaining: \d+, reset: \d+ \}$/),
      expect.stringMatching(/^The log has \d+ leaves\.$/),
    ]);
    expect(await project.runOnNode(version, 'out/pack.mjs')).toBe('true\n'); // the folder is no audit pack
  });
});
