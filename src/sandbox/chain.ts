import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  getContractAddress,
  http,
  parseUnits,
} from 'viem';
import type { Address, Hash } from 'viem';

import {
  CHAIN_ID,
  FAUCET_ADDRESS,
  FAUCET_PRIVATE_KEY,
  TREASURY_ADDRESS,
  endLeftoverNode,
  noteNode,
  startAnvil,
} from './anvil.js';
import { ANVIL_CHAIN } from './anvil-chain.js';
import { ChainState } from './chain-state.js';
import { TEST_USDC_ABI, USDC_DECIMALS, testUsdcBytecode } from './test-usdc.js';

export interface ChainOptions {
  /** 0 or nothing: a free one. */
  port?: number;
  /** Where the chain is kept; without it, it ends with the process. */
  dataDir?: string;
}

export interface RunningChain {
  rpcUrl: string;
  chainId: number;
  usdcAddress: Address;
  faucetPrivateKey: string;
  /** Who pays deposits and transfers: the account that deployed the token. */
  treasuryAddress: Address;
  /** Transfers test USDC, a decimal string, and waits until that is mined and kept. */
  payUsdc(to: Address, amount: string): Promise<Hash>;
  usdcBalance(holder: Address): Promise<bigint>;
  mine(blocks: number): Promise<void>;
  blockNumber(): Promise<bigint>;
  /** Resolves when the node is gone, asked or not. */
  exited: Promise<number>;
  /** Our process may end while the node is running; the node ends with it. */
  unref(): void;
  stop(): Promise<void>;
}

const SAVE_EVERY_MS = 1_000;
const POLL_MS = 20;
// The deployer's first transaction on a fresh chain, hence always the same address.
const USDC_ADDRESS = getContractAddress({ from: TREASURY_ADDRESS, nonce: 0n });
const FIRST_SUPPLY = { [TREASURY_ADDRESS]: '1000000000000', [FAUCET_ADDRESS]: '1000000000' };

type Clients = ReturnType<typeof connect>;

function connect(url: string) {
  const settings = { chain: ANVIL_CHAIN, transport: http(url), pollingInterval: POLL_MS, cacheTime: 0 };
  return {
    reader: createPublicClient(settings),
    // The node knows the keys of its development accounts and signs for them.
    wallet: createWalletClient({ ...settings, account: TREASURY_ADDRESS }),
    node: createTestClient({ ...settings, mode: 'anvil' }),
  };
}

async function mined({ reader }: Clients, hash: Hash): Promise<Hash> {
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`The chain reverted transaction ${hash}.`);
  return hash;
}

/** The node gives two transactions that arrive together one nonce, and refuses or replaces one: so they queue. */
function queue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}

async function deployUsdc(clients: Clients): Promise<void> {
  const code = await clients.reader.getCode({ address: USDC_ADDRESS });
  if (code) return;
  const { wallet } = clients;
  await mined(clients, await wallet.deployContract({ abi: TEST_USDC_ABI, bytecode: testUsdcBytecode() }));
  for (const [to, supply] of Object.entries(FIRST_SUPPLY) as [Address, string][]) {
    const args = [to, parseUnits(supply, USDC_DECIMALS)] as const;
    const call = { address: USDC_ADDRESS, abi: TEST_USDC_ABI, functionName: 'mint', args } as const;
    await mined(clients, await wallet.writeContract(call));
  }
}

/** The node may be late by the seconds of its start, and starts again at its snapshot's time when it is reverted. */
const AHEAD_SECONDS = 2;

/**
 * Sets the node's clock to real time, rather ahead of it than behind: a block that is older than a withdrawal does not
 * pay it.
 */
export async function setToRealTime(rpcUrl: string): Promise<void> {
  const seconds = Math.ceil(Date.now() / 1000) + AHEAD_SECONDS;
  await connect(rpcUrl).node.request({ method: 'evm_setTime' as never, params: [seconds] as never });
}

/**
 * A real EVM node with the test USDC deployed. Blocks are mined with each transaction and on demand. With a
 * dataDir, what our own calls did is kept before they return, what others sent within a second.
 */
export async function startChain({ port, dataDir }: ChainOptions = {}): Promise<RunningChain> {
  const stateFile = dataDir && join(dataDir, 'state.json');
  const nodeFile = dataDir && join(dataDir, 'node.json');
  if (nodeFile) await endLeftoverNode(nodeFile);
  const anvil = await startAnvil(stateFile && existsSync(stateFile) ? stateFile : undefined, port);
  if (nodeFile) await noteNode(nodeFile, anvil);
  const clients = connect(anvil.url);
  const { reader, wallet, node } = clients;
  const oneByOne = queue();
  const blockNumber = () => reader.getBlockNumber();
  const state = stateFile
    ? new ChainState(stateFile, { dumpState: () => node.dumpState(), blockNumber })
    : undefined;
  const save = async () => state?.save();
  try {
    await setToRealTime(anvil.url);
    await deployUsdc(clients);
    await save();
  } catch (error) {
    await anvil.leash.stop();
    throw error;
  }
  // A failure here means that the node is going; `exited` tells that.
  const saver = state && setInterval(() => void save().catch(() => undefined), SAVE_EVERY_MS);

  return {
    rpcUrl: anvil.url,
    chainId: CHAIN_ID,
    usdcAddress: USDC_ADDRESS,
    faucetPrivateKey: FAUCET_PRIVATE_KEY,
    treasuryAddress: TREASURY_ADDRESS,
    payUsdc: (to, amount) => {
      const args = [to, parseUnits(amount, USDC_DECIMALS)] as const;
      const call = { address: USDC_ADDRESS, abi: TEST_USDC_ABI, functionName: 'transfer', args } as const;
      return oneByOne(async () => {
        const hash = await mined(clients, await wallet.writeContract(call));
        await save();
        return hash;
      });
    },
    usdcBalance: (holder) =>
      reader.readContract({
        address: USDC_ADDRESS,
        abi: TEST_USDC_ABI,
        functionName: 'balanceOf',
        args: [holder],
      }),
    mine: (blocks) => node.mine({ blocks }),
    blockNumber,
    exited: anvil.leash.exited,
    unref: () => anvil.leash.unref(),
    stop: async () => {
      clearInterval(saver);
      await save().catch(() => undefined);
      await anvil.leash.stop();
      if (nodeFile) rmSync(nodeFile, { force: true });
    },
  };
}
