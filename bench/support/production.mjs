import { readFileSync } from 'node:fs';

/** The arguments of node in `npm run start:production`: options and program. */
export function productionArguments() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return scripts['start:production'].split(' ').slice(1);
}
