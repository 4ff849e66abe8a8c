// Writes dist/build-info.json with commit and build time. Image builds have no .git and need the variable COMMIT.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

const git = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' });
const commit = process.env.COMMIT || (git.status === 0 ? git.stdout.trim() : null);
mkdirSync('dist', { recursive: true });
writeFileSync('dist/build-info.json', JSON.stringify({ commit, builtAt: new Date().toISOString() }));
