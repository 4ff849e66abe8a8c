// Bundles the typed client, its verifier of proofs, and the verifier of audit packs into one file each, without dependencies:
// dist/client/ is for browsers and Node, and every audit pack contains dist/audit-pack/verify.mjs. Run by `npm run build` and
// before `npm test`; does nothing if the sources are unchanged.
import { readdirSync, statSync } from 'node:fs';

const BUNDLES = [
  { input: 'client/client.ts', file: 'dist/client/client.js', platform: 'browser' },
  { input: 'client/verify.ts', file: 'dist/client/verify.js', platform: 'browser' },
  { input: 'client/audit-pack/main.ts', file: 'dist/audit-pack/verify.mjs', platform: 'node' },
];
const sources = ['client', 'client/audit-pack'].flatMap((folder) =>
  readdirSync(folder).map((name) => `${folder}/${name}`),
);
const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sourcesChangedAt = Math.max(...[...sources, 'scripts/bundle-verifier.mjs'].map(changedAt));

for (const { input, file, platform } of BUNDLES) {
  if (changedAt(file) >= sourcesChangedAt) continue;
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input,
    platform,
    external: platform === 'node' ? /^node:/ : [],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ file, format: 'esm' });
}
