import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { COMMON_FILES, GENERATORS } from '../fixtures/generated-clients.js';
import { NpmProject } from '../fixtures/npm-projects.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

/** Some generators need a newer version of Node than the oldest that the service takes. */
const NODE = '24';
/** Generators need the programming interface of TypeScript 5; their output is checked with the newest version. */
const TYPESCRIPT = ['typescript@5.9.3', 'newest-typescript@npm:typescript@7.0.2', '@types/node@24.19.2'];
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    module: 'esnext',
    moduleResolution: 'bundler',
    noEmit: true,
    skipLibCheck: true,
  },
};

describe('A client that is generated from docs/openapi.json', () => {
  let platform: TestPlatform;
  let project: NpmProject;

  beforeAll(async () => {
    platform = await startPlatform();
    project = new NpmProject();
    project.write({ 'package.json': { private: true, type: 'module' }, ...COMMON_FILES });
    copyFileSync('docs/openapi.json', join(project.folder, 'openapi.json'));
    await project.install(...TYPESCRIPT, ...GENERATORS.flatMap(({ packages }) => packages));
  });
  afterAll(async () => {
    project?.remove();
    await platform?.stop();
  });

  /** Bundles a program, because generated files import each other without file extensions. */
  async function bundle(name: string): Promise<string> {
    const build = await rolldown({ input: join(project.folder, `use-${name}.ts`), platform: 'node' });
    const { output } = await build.write({ dir: join(project.folder, 'out'), entryFileNames: '[name].mjs' });
    return join('out', output[0].fileName);
  }

  it.each(GENERATORS)(
    '$name compiles in strict mode, and signs in, deposits, invests and reads a refusal',
    async ({ name, command: [generator, ...options], program }) => {
      await project.runOnNode(NODE, join('node_modules/.bin', generator as string), ...options);
      const configuration = `tsconfig.${name}.json`;
      project.write({
        [`use-${name}.ts`]: program,
        [configuration]: { ...TSCONFIG, include: [`use-${name}.ts`] },
      });
      await project.run('node', 'node_modules/newest-typescript/bin/tsc', '-p', configuration);

      const addresses = [platform.baseUrl, platform.outside.providers.url];
      const output = await project.runOnNode(NODE, await bundle(name), ...addresses, name);

      expect(JSON.parse(output)).toEqual({
        available: '1000.00',
        invested: '100.00',
        code: 'INSUFFICIENT_BALANCE',
        shortfall: '4100.00', // 5000.00 − (1000.00 − 100.00)
      });
    },
  );
});
