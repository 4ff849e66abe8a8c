// Compiles the sandbox's test token to dist/sandbox/contracts/TestUsdc.json ({ abi, bytecode, sourceHash }).
// Run by `npm run build` and by the tests' global setup; does nothing when the source has not changed.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src/sandbox/contracts/TestUsdc.sol');
const artifact = join(root, 'dist/sandbox/contracts/TestUsdc.json');

function compiledHash() {
  try {
    return JSON.parse(readFileSync(artifact, 'utf8')).sourceHash;
  } catch {
    return undefined;
  }
}

async function compileContracts() {
  const content = readFileSync(source, 'utf8');
  const sourceHash = createHash('sha256').update(content).digest('hex');
  if (compiledHash() === sourceHash) return;

  // Loaded only now: the compiler is a 9 MB script that takes a second to start.
  const { default: solc } = await import('solc');
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'TestUsdc.sol': { content } },
        settings: {
          optimizer: { enabled: true },
          // Without the metadata hash the bytecode depends on the source alone.
          metadata: { bytecodeHash: 'none', appendCBOR: false },
          outputSelection: { '*': { TestUsdc: ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  );
  const faults = (output.errors ?? []).map((error) => error.formattedMessage);
  if (faults.length > 0) throw new Error(faults.join('\n'));

  const contract = output.contracts['TestUsdc.sol'].TestUsdc;
  const compiled = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, sourceHash };
  mkdirSync(dirname(artifact), { recursive: true });
  // Written aside and renamed, so that a reader never sees half a file.
  writeFileSync(`${artifact}.${process.pid}`, `${JSON.stringify(compiled, null, 2)}\n`);
  renameSync(`${artifact}.${process.pid}`, artifact);
}

await compileContracts();
