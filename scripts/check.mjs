// `npm run check`: runs all static checks in parallel and prints their results.
// `npm run check -- lint types` runs the named checks alone; `npm run lint` and `npm run typecheck` do so without building the service.
// `npm run check -- size` prints how large the project is.
import { spawn } from 'node:child_process';
import './build-client.mjs'; // the console imports the client as a package

const CHECKS = {
  types: ['npx', 'tsc', '-p', 'tsconfig.json'],
  'console types': ['npx', 'tsc', '-p', 'console'],
  lint: ['npx', 'eslint', '--max-warnings', '0', 'src', 'test', 'client', 'console', 'bench', 'scripts'],
  format: ['npx', 'prettier', '--check', '--log-level', 'warn', '.'],
  conventions: ['node', 'scripts/conventions.mjs'],
  'import rules': ['npx', 'depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src'],
  'OpenAPI document': ['node', 'scripts/lint-openapi.mjs'],
  'generated files': ['node', 'scripts/generate.mjs', '--check'],
};

/** What informs and never fails: printed only if it is named. */
const REPORTS = { size: ['node', 'scripts/size.mjs'] };

/** Runs a check, prints its result, and returns whether it passed. */
function runCheck(name, [command, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { shell: process.platform === 'win32' });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
      if (code !== 0 || name in REPORTS) process.stdout.write(`${output}\n`);
      resolve(code === 0);
    });
  });
}

const names = process.argv.slice(2);
const known = { ...CHECKS, ...REPORTS };
const unknown = names.filter((name) => !(name in known));
if (unknown.length > 0) {
  process.stderr.write(`Unknown check: ${unknown.join(', ')}. Checks: ${Object.keys(known).join(', ')}.\n`);
  process.exit(1);
}
const chosen = names.length === 0 ? Object.entries(CHECKS) : names.map((name) => [name, known[name]]);
const results = await Promise.all(chosen.map(([name, command]) => runCheck(name, command)));
process.exit(results.every(Boolean) ? 0 : 1);
