// Compiles the package client/ to client/dist/, with the types that the documents in docs/ describe, and bundles parts of it into
// one file each: dist/client/ is for browsers and Node, and every audit pack contains dist/audit-pack/verify.mjs. Run by
// `npm run build` and before `npm test`; does nothing if the sources are unchanged.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { writeClientTypes } from './write-client-types.mjs';

const BUNDLES = [
  { input: 'client/dist/client.js', file: 'dist/client/client.js', platform: 'browser' },
  { input: 'client/dist/verify.js', file: 'dist/client/verify.js', platform: 'browser' },
  { input: 'client/dist/audit-pack/main.js', file: 'dist/audit-pack/verify.mjs', platform: 'node' },
];
const COMPILE = ['node_modules/typescript/bin/tsc', '--build', 'client/audit-pack'];

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

writeClientTypes();
const sources = ['client', 'client/audit-pack'].flatMap((folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`),
);
const sourcesChangedAt = Math.max(...[...sources, 'scripts/build-client.mjs'].map(changedAt));
const isBuilt = [...BUNDLES.map(({ file }) => file), 'client/dist/client.d.ts'].every(
  (file) => changedAt(file) >= sourcesChangedAt,
);
if (!isBuilt) await build();

async function build() {
  const { status } = spawnSync(process.execPath, COMPILE, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const { rolldown } = await import('rolldown');
  for (const { input, file, platform } of BUNDLES) {
    const bundle = await rolldown({ input, platform, external: platform === 'node' ? /^node:/ : [] });
    await bundle.write({ file, format: 'esm' });
  }
}
