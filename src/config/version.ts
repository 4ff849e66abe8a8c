import { existsSync, readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this build, from package.json. */
export const VERSION = version;

interface Build {
  readonly commit: string | null;
  readonly builtAt: string | null;
}

const FILE = new URL('../../dist/build-info.json', import.meta.url);

/** The commit and the time that the build recorded; null where they are unknown. */
export const BUILD: Build = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as Build)
  : { commit: null, builtAt: null };
