// The API as it is started in production.
import { readFileSync } from 'node:fs';

/** What `npm run start:production` gives to node. */
export function inProduction() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return scripts['start:production'].split(' ').slice(1);
}
