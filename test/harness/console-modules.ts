import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { testFolder } from './test-folder.js';

/** The sources of the console and of the users' page. */
export const CONSOLE_SOURCES = fileURLToPath(new URL('../../console/src', import.meta.url));

/** Loads files of the pages that import nothing but each other. */
export async function loadConsoleModule<Module>(name: string, ...imported: string[]): Promise<Module> {
  const folder = testFolder('console-modules');
  const options = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
  for (const file of [name, ...imported]) {
    const source = readFileSync(join(CONSOLE_SOURCES, `${file}.ts`), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    const local = outputText.replace(/'(?:\.{1,2}\/)+(?:[\w-]+\/)*([\w-]+)\.ts'/g, "'./$1.mjs'");
    writeFileSync(join(folder, `${file.split('/').pop()}.mjs`), local);
  }
  return import(pathToFileURL(join(folder, `${name.split('/').pop()}.mjs`)).href) as Promise<Module>;
}

/** Loads files of the pages as a browser would load them after the user has chosen the language. */
export async function loadConsoleModuleIn<Module>(
  chosen: 'en' | 'de',
  name: string,
  ...imported: string[]
): Promise<Module> {
  const browser = {
    localStorage: { getItem: () => chosen },
    navigator: { language: 'en-GB', languages: ['en-GB', 'de-DE'] },
    document: { documentElement: {} },
  };
  // `defineProperty`, because some of these properties are accessors in Node and cannot be assigned.
  const define = ([property, descriptor]: readonly [string, PropertyDescriptor | undefined]) =>
    descriptor
      ? Object.defineProperty(globalThis, property, descriptor)
      : Reflect.deleteProperty(globalThis, property);
  const before = Object.keys(browser).map(
    (property) => [property, Object.getOwnPropertyDescriptor(globalThis, property)] as const,
  );
  for (const [property, value] of Object.entries(browser))
    define([property, { value, configurable: true, writable: true }]);
  try {
    return await loadConsoleModule<Module>(name, 'ui/format', 'ui/language', ...imported);
  } finally {
    before.forEach(define); // the files have read the language when they were loaded
  }
}
