// Compiles the sandbox's contracts to dist/sandbox/contracts/<name>.json ({ abi, bytecode, inputHash }).
// Run by `npm run build` and before `npm test`; does nothing if the sources, the settings and the compiler are unchanged.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = join(root, 'src/sandbox/contracts');
const artifacts = join(root, 'dist/sandbox/contracts');
const { version } = createRequire(import.meta.url)('solc/package.json');

function compiledHash(name) {
  try {
    return JSON.parse(readFileSync(join(artifacts, `${name}.json`), 'utf8')).inputHash;
  } catch {
    return undefined;
  }
}

async function compile(name) {
  const file = `${name}.sol`;
  const content = readFileSync(join(sources, file), 'utf8');
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      optimizer: { enabled: true },
      // Without the metadata hash the bytecode depends only on the source, the settings and the compiler.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { [name]: ['abi', 'evm.bytecode.object'] } },
    },
  });
  const inputHash = createHash('sha256').update(`solc ${version}\n${input}`).digest('hex');
  if (compiledHash(name) === inputHash) return;

  // Imported on demand: the compiler is a 9 MB script that takes a second to load.
  const { default: solc } = await import('solc');
  const output = JSON.parse(solc.compile(input));
  // Warnings, which are among the errors, fail as well.
  const faults = (output.errors ?? []).map((error) => error.formattedMessage);
  if (faults.length > 0) throw new Error(faults.join('\n'));

  const contract = output.contracts[file][name];
  const compiled = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, inputHash };
  const artifact = join(artifacts, `${name}.json`);
  mkdirSync(artifacts, { recursive: true });
  // Written to a temporary file and renamed, so that readers never see an incomplete file.
  writeFileSync(`${artifact}.${process.pid}`, `${JSON.stringify(compiled, null, 2)}\n`);
  renameSync(`${artifact}.${process.pid}`, artifact);
}

for (const file of readdirSync(sources).filter((name) => name.endsWith('.sol'))) {
  await compile(file.slice(0, -'.sol'.length));
}
