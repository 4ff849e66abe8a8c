// `node --import ./test/harness/jest/typescript.mjs`: imports TypeScript, compiled by swc with the options in .swcrc.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
globalThis.importsTypeScript = true; // for global-setup.mjs
