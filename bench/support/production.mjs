import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The arguments of node in `npm run start:production` of a checkout: options and program. */
export function productionArguments(folder = '.') {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return scripts['start:production'].split(' ').slice(1);
}
