// `node --import ./test/harness/jest/typescript.mjs`: compiles TypeScript on import by swc, with the options in .swcrc.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
globalThis.importsTypeScript = true; // checked by global-setup.mjs
