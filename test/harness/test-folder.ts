import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** A new folder, in memory if there is room, that global-teardown.mjs removes. Call it in a hook or a test. */
export function testFolder(name: string): string {
  return mkdtempSync(join(process.env.TEST_FOLDER as string, `${name}-`));
}
