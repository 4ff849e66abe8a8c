import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writeJson } from './json-file.js';
import { startOnLeash } from './leash.js';
import type { Leash } from './leash.js';
import { LOOPBACK, freePort } from './ports.js';

export const CHAIN_ID = 31337;

/** anvil's first two development accounts; their keys are in every tutorial. */
export const TREASURY_ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const FAUCET_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const FAUCET_PRIVATE_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

const READY_WITHIN_MS = 20_000;
const ANSWER_WITHIN_MS = 2_000;
const ATTEMPTS = 3;
const STOP_GRACE_MS = 3_000;
// anvil keeps the states of this many blocks for calls that look back, in memory and not in the user's home.
const STATES_IN_MEMORY = '256';

const PACKAGES: Record<string, string> = {
  'linux-x64': 'anvil-linux-amd64',
  'linux-arm64': 'anvil-linux-arm64',
  'darwin-x64': 'anvil-darwin-amd64',
  'darwin-arm64': 'anvil-darwin-arm64',
  'win32-x64': 'anvil-win32-amd64',
};

/** The node's own binary. The package's launcher would be one more process between us and it. */
function anvilBinary(): string {
  const platform = `${process.platform}-${process.arch}`;
  const packageName = PACKAGES[platform];
  if (!packageName) throw new Error(`The EVM node (anvil) has no binary for ${platform}.`);
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  const program = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    return require.resolve(`@foundry-rs/${packageName}/bin/${program}`);
  } catch {
    throw new Error(
      `The EVM node: @foundry-rs/${packageName} is not installed; run npm install on this machine.`,
    );
  }
}

export interface Anvil {
  leash: Leash;
  url: string;
}

export async function startAnvil(stateFile: string | undefined, port?: number): Promise<Anvil> {
  for (let attempt = 1; ; attempt += 1) {
    const chosen = port || (await freePort());
    const leash = startOnLeash({
      command: anvilBinary(),
      args: [
        ...['--silent', '--host', LOOPBACK, '--port', String(chosen), '--chain-id', String(CHAIN_ID)],
        ...['--prune-history', STATES_IN_MEMORY],
        ...(stateFile ? ['--load-state', stateFile] : []),
      ],
      signal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
    });
    const url = `http://${LOOPBACK}:${chosen}`;
    if (await answers(url, leash)) return { leash, url };
    await leash.stop();
    // A port found free may be taken in between by another test's node; then another one will do.
    if (port || attempt === ATTEMPTS) {
      throw new Error(
        `The EVM node (anvil) did not start on port ${chosen}${stateFile ? ` from ${stateFile}` : ''}.`,
      );
    }
  }
}

/**
 * Notes which process is the node, so that the next run can end it should nobody else: a kill of every node.js
 * process takes its leash too.
 */
export async function noteNode(file: string, { leash, url }: Anvil): Promise<void> {
  writeJson(file, { pid: await leash.pid, url });
}

/** Ends the node of a run that was killed. Its process number counts only if its address still answers. */
export async function endLeftoverNode(file: string): Promise<void> {
  const left = readJson<{ pid: number; url: string }>(file);
  if (!left) return;
  if (left.pid > 0 && (await ask(left.url, 'web3_clientVersion'))?.includes('anvil')) {
    try {
      process.kill(left.pid, 'SIGKILL');
    } catch {
      // It ended in this moment, or it is another user's and none of our business.
    }
  }
  rmSync(file, { force: true });
}

async function ask(url: string, method: string): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}

async function answers(url: string, leash: Leash): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!leash.hasExited() && Date.now() < deadline) {
    if (await ask(url, 'eth_chainId')) return !leash.hasExited();
    await sleep(20);
  }
  return false;
}
