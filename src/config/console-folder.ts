/** The files of the console and the users' page, which `scripts/build-console.mjs` builds from console/. */
export const CONSOLE_FOLDER = new URL('../../dist/console/', import.meta.url);
