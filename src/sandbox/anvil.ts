import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writeJson } from './json-file.js';
import { startSupervisedProcess } from './supervised-process.js';
import type { SupervisedProcess } from './supervised-process.js';
import { LOOPBACK, freePort } from './ports.js';

export const CHAIN_ID = 31337;

/** anvil's first two development accounts, whose keys are public. */
export const TREASURY_ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const FAUCET_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const FAUCET_PRIVATE_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

const READY_WITHIN_MS = 20_000;
const ANSWER_WITHIN_MS = 2_000;
const ATTEMPTS = 3;
const STOP_GRACE_MS = 3_000;
// Number of historical states that anvil keeps, in memory instead of in the user's home folder.
const STATES_IN_MEMORY = '256';

const PACKAGES: Record<string, string> = {
  'linux-x64': 'anvil-linux-amd64',
  'linux-arm64': 'anvil-linux-arm64',
  'darwin-x64': 'anvil-darwin-amd64',
  'darwin-arm64': 'anvil-darwin-arm64',
  'win32-x64': 'anvil-win32-amd64',
};

/** The node's binary itself, because the package's launcher would add another process. */
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
  supervised: SupervisedProcess;
  url: string;
}

interface AnvilOptions {
  /** The stored chain to load. */
  readonly stateFile?: string;
  /** A free port is chosen if it is 0 or absent. */
  readonly port?: number;
  /** The interval in which blocks are mined, besides those with transactions. Without it only transactions mine blocks. */
  readonly blockSeconds?: number;
}

export async function startAnvil({ stateFile, port, blockSeconds }: AnvilOptions): Promise<Anvil> {
  for (let attempt = 1; ; attempt += 1) {
    const chosen = port || (await freePort());
    const supervised = startSupervisedProcess({
      command: anvilBinary(),
      args: [
        ...['--silent', '--host', LOOPBACK, '--port', String(chosen), '--chain-id', String(CHAIN_ID)],
        ...['--prune-history', STATES_IN_MEMORY],
        ...(stateFile ? ['--load-state', stateFile] : []),
        ...(blockSeconds ? ['--mixed-mining', '--block-time', String(blockSeconds)] : []),
      ],
      signal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
    });
    const url = `http://${LOOPBACK}:${chosen}`;
    if (await waitUntilReady(url, supervised)) return { supervised, url };
    await supervised.stop();
    // Another process may have taken the free port in the meantime.
    if (port || attempt === ATTEMPTS) {
      throw new Error(
        `The EVM node (anvil) did not start on port ${chosen}${stateFile ? ` from ${stateFile}` : ''}.`,
      );
    }
  }
}

/** Records the node's process, so that the next run can end the node if this process and the node's supervisor are killed. */
export async function recordNode(file: string, { supervised, url }: Anvil): Promise<void> {
  writeJson(file, { pid: await supervised.pid, url });
}

/**
 * Ends the node of a killed run. Kills the recorded process only if anvil still answers at the recorded URL, because another
 * process may have the id by now.
 */
export async function endOrphanedNode(file: string): Promise<void> {
  const node = readJson<{ pid: number; url: string }>(file);
  if (!node) return;
  if (node.pid > 0 && (await callRpc(node.url, 'web3_clientVersion'))?.includes('anvil')) {
    try {
      process.kill(node.pid, 'SIGKILL');
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  rmSync(file, { force: true });
}

/** The text of the response; undefined if the call fails. */
async function callRpc(url: string, method: string): Promise<string | undefined> {
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

/** False if the node ends or does not answer in time. */
async function waitUntilReady(url: string, supervised: SupervisedProcess): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!supervised.hasExited() && Date.now() < deadline) {
    if (await callRpc(url, 'eth_chainId')) return !supervised.hasExited();
    await sleep(20);
  }
  return false;
}
