import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const noted = new Set<string>();

/** Records an error code that a test triggered, for catalogue-reporter.mjs. */
export function recordErrorCode(code: string | undefined): void {
  if (code === undefined || noted.has(code)) return;
  noted.add(code);
  appendFileSync(join(process.env.RECORDED_ERROR_CODES as string, String(process.pid)), `${code}\n`);
}
