// `npm run check`: everything that can be judged without running the service, side by side, each with its name.
import { spawn } from 'node:child_process';

const CHECKS = {
  types: ['npx', 'tsc', '-p', 'tsconfig.json'],
  lint: ['npx', 'eslint', '--max-warnings', '0', 'src', 'test', 'client', 'bench', 'scripts'],
  format: ['npx', 'prettier', '--check', '--log-level', 'warn', '.'],
  'import rules': ['npx', 'depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src'],
  'OpenAPI document': ['node', 'scripts/lint-openapi.mjs'],
  'generated files': ['node', 'scripts/generate.mjs', '--check'],
};

function run(name, [command, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { shell: process.platform === 'win32' });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
      if (code !== 0) process.stdout.write(`${output}\n`);
      resolve(code === 0);
    });
  });
}

const results = await Promise.all(Object.entries(CHECKS).map(([name, command]) => run(name, command)));
process.exit(results.every(Boolean) ? 0 : 1);
