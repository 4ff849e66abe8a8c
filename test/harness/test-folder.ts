import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** Creates a folder, in memory if there is room, that jest/global-teardown.mjs removes. Called in a hook or a test. */
export function testFolder(name: string): string {
  return mkdtempSync(join(process.env.TEST_FOLDER as string, `${name}-`));
}
