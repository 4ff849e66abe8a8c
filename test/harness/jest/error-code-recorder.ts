import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const recorded = new Set<string>();

/** Records an error code that a test triggered, for catalogue-reporter.mjs. */
export function recordErrorCode(code: string | undefined): void {
  if (code === undefined || recorded.has(code)) return;
  recorded.add(code);
  appendFileSync(join(process.env.RECORDED_ERROR_CODES as string, String(process.pid)), `${code}\n`);
}
