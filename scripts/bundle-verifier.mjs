// Bundles client/audit-pack/main.ts and the verifier of proofs into dist/audit-pack/verify.mjs, one file without dependencies
// that every audit pack contains. Run by `npm run build` and before `npm test`; does nothing if the sources are unchanged.
import { readdirSync, statSync } from 'node:fs';

const FILE = 'dist/audit-pack/verify.mjs';
const sources = ['client', 'client/audit-pack'].flatMap((folder) =>
  readdirSync(folder).map((name) => `${folder}/${name}`),
);
const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt(FILE) < Math.max(...[...sources, 'scripts/bundle-verifier.mjs'].map(changedAt))) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: 'client/audit-pack/main.ts',
    platform: 'node',
    external: /^node:/,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ file: FILE, format: 'esm' });
}
