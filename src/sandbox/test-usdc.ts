import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAbi } from 'viem';
import type { Hex } from 'viem';

export const USDC_DECIMALS = 6;

/** The part of TestUsdc.sol that the sandbox calls. */
export const TEST_USDC_ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address holder) view returns (uint256)',
]);

/** The project's folder, found from this file in src/ or in dist/. */
function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export const testUsdcBytecode = () => bytecodeOf('TestUsdc');

/** The compiled bytecode of a contract in `src/sandbox/contracts/`. */
export function bytecodeOf(contract: 'TestUsdc' | 'TestWallet'): Hex {
  const artifact = join(projectRoot(), `dist/sandbox/contracts/${contract}.json`);
  if (!existsSync(artifact)) {
    throw new Error(`${contract}.sol is not compiled; run: node scripts/compile-contracts.mjs`);
  }
  return (JSON.parse(readFileSync(artifact, 'utf8')) as { bytecode: Hex }).bytecode;
}
