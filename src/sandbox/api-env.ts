import { join } from 'node:path';
import { replaceFile } from './json-file.js';

/** The file that `npm run start:dev` and `npm run start:debug` give to `nest start`. */
export const DEFAULT_API_ENV = join('.data', 'api.env');

export function apiEnvFile(dataDir: string): string {
  return join(dataDir, 'api.env');
}

/** Writes the settings for an API that is started by hand, in the format of `node --env-file`. Returns the file's name. */
export function writeApiEnv(dataDir: string, settings: Record<string, string>): string {
  const file = apiEnvFile(dataDir);
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  replaceFile(file, lines.join(''));
  return file;
}
