import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** A new folder that the run removes at its end, in memory if global-setup.mjs finds room. Call it in a hook or a test. */
export function testFolder(name: string): string {
  return mkdtempSync(join(process.env.TEST_FOLDER as string, `${name}-`));
}
