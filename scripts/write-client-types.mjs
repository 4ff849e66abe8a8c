// Writes the types of the client, which are not in git, from the documents in docs/. The build, the tests and the checks of types
// and lint call it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { clientTypes } from './client-types.mjs';
import { eventTypes } from './event-types.mjs';

const FILES = {
  'client/routes.ts': () => clientTypes(documentIn('docs/openapi.json')),
  'client/events.ts': () => eventTypes(documentIn('docs/asyncapi.json')),
};

/** Files that are up to date keep their time, so that nothing is compiled again. */
export function writeClientTypes() {
  for (const [file, textOf] of Object.entries(FILES)) {
    const text = textOf();
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}

function documentIn(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
