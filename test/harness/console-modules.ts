import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { testFolder } from './test-folder.js';

export const CONSOLE_SOURCES = fileURLToPath(new URL('../../console/src/', import.meta.url));

/** Loads a file of the pages, such as `ui/format`. `imported` are all others that it needs; no two of them have the same name. */
export async function loadConsoleModule<Module>(name: string, ...imported: string[]): Promise<Module> {
  const folder = testFolder('console-modules');
  const options = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
  for (const file of [name, ...imported]) {
    const source = readFileSync(join(CONSOLE_SOURCES, `${file}.ts`), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    const local = outputText.replace(/'\.{1,2}\/(?:[\w-]+\/)*([\w-]+)\.ts'/g, "'./$1.mjs'");
    writeFileSync(join(folder, `${file.split('/').pop()}.mjs`), local);
  }
  return import(pathToFileURL(join(folder, `${name.split('/').pop()}.mjs`)).href) as Promise<Module>;
}
