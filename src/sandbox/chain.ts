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
  endOrphanedNode,
  recordNode,
  startAnvil,
} from './anvil.js';
import { ANVIL_CHAIN } from './anvil-chain.js';
import { ChainState } from './chain-state.js';
import { TEST_USDC_ABI, USDC_DECIMALS, testUsdcBytecode } from './test-usdc.js';

export interface ChainOptions {
  /** A free port is chosen if it is 0 or absent. */
  port?: number;
  /** The folder of the stored chain. Without it the chain is lost at the end of the process. */
  dataDir?: string;
  /** The interval in which blocks without transactions are mined, for programs that wait for confirmations. */
  blockSeconds?: number;
}

export interface RunningChain {
  rpcUrl: string;
  chainId: number;
  usdcAddress: Address;
  faucetPrivateKey: string;
  /** The account that deployed the token and pays deposits and transfers. */
  treasuryAddress: Address;
  /** Transfers test USDC (a decimal string) and waits until the transfer is mined and saved. */
  payUsdc(to: Address, amount: string): Promise<Hash>;
  usdcBalance(holder: Address): Promise<bigint>;
  mine(blocks: number): Promise<void>;
  blockNumber(): Promise<bigint>;
  /** Resolves when the node has ended for any reason. */
  exited: Promise<number>;
  /** Lets this process end while the node is running; the node ends with it. */
  unref(): void;
  stop(): Promise<void>;
}

const SAVE_EVERY_MS = 1_000;
const POLL_MS = 20;
// The address of the deployer's first contract on a fresh chain is always the same.
const USDC_ADDRESS = getContractAddress({ from: TREASURY_ADDRESS, nonce: 0n });
/** The USDC that each account receives at the deployment. */
const FIRST_SUPPLY = { [TREASURY_ADDRESS]: '1000000000000', [FAUCET_ADDRESS]: '1000000000' };

type Clients = ReturnType<typeof connect>;

function connect(url: string) {
  const settings = { chain: ANVIL_CHAIN, transport: http(url), pollingInterval: POLL_MS, cacheTime: 0 };
  return {
    reader: createPublicClient(settings),
    // The node signs with the keys of its development accounts.
    wallet: createWalletClient({ ...settings, account: TREASURY_ADDRESS }),
    node: createTestClient({ ...settings, mode: 'anvil' }),
  };
}

async function waitUntilMined({ reader }: Clients, hash: Hash): Promise<Hash> {
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`The chain reverted transaction ${hash}.`);
  return hash;
}

/** Runs tasks one after the other, because the node gives concurrent transactions the same nonce. */
function serialQueue(): <T>(task: () => Promise<T>) => Promise<T> {
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
  const deployment = { abi: TEST_USDC_ABI, bytecode: testUsdcBytecode() } as const;
  await waitUntilMined(clients, await wallet.deployContract(deployment));
  for (const [to, supply] of Object.entries(FIRST_SUPPLY) as [Address, string][]) {
    const args = [to, parseUnits(supply, USDC_DECIMALS)] as const;
    const call = { address: USDC_ADDRESS, abi: TEST_USDC_ABI, functionName: 'mint', args } as const;
    await waitUntilMined(clients, await wallet.writeContract(call));
  }
}

/** How far the node's clock is set ahead of real time, so that no block seems older than a withdrawal requested before it. */
const AHEAD_SECONDS = 2;

/**
 * Sets the node's clock slightly ahead of real time. The clock lags after the start of the node and after `evm_revert`, and
 * the chain check accepts no payment in a block that is older than the withdrawal.
 */
export async function setToRealTime(rpcUrl: string): Promise<void> {
  const seconds = Math.ceil(Date.now() / 1000) + AHEAD_SECONDS;
  await connect(rpcUrl).node.request({ method: 'evm_setTime' as never, params: [seconds] as never });
}

/**
 * Starts an EVM node and deploys the test USDC. Blocks are mined with each transaction and on demand. With a `dataDir` the
 * chain is saved before `startChain` and `payUsdc` return, and within a second of any other block.
 */
export async function startChain({ port, dataDir, blockSeconds }: ChainOptions = {}): Promise<RunningChain> {
  const stateFile = dataDir && join(dataDir, 'state.json');
  const nodeFile = dataDir && join(dataDir, 'node.json');
  if (nodeFile) await endOrphanedNode(nodeFile);
  const anvil = await startAnvil({
    ...(stateFile && existsSync(stateFile) ? { stateFile } : {}),
    ...(port ? { port } : {}),
    ...(blockSeconds ? { blockSeconds } : {}),
  });
  if (nodeFile) await recordNode(nodeFile, anvil);
  const clients = connect(anvil.url);
  const { reader, wallet, node } = clients;
  const enqueue = serialQueue();
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
    await anvil.supervised.stop();
    throw error;
  }
  // A failure means that the node is ending, which `exited` reports.
  const saveTimer = state && setInterval(() => void save().catch(() => undefined), SAVE_EVERY_MS);

  return {
    rpcUrl: anvil.url,
    chainId: CHAIN_ID,
    usdcAddress: USDC_ADDRESS,
    faucetPrivateKey: FAUCET_PRIVATE_KEY,
    treasuryAddress: TREASURY_ADDRESS,
    payUsdc: (to, amount) => {
      const args = [to, parseUnits(amount, USDC_DECIMALS)] as const;
      const call = { address: USDC_ADDRESS, abi: TEST_USDC_ABI, functionName: 'transfer', args } as const;
      return enqueue(async () => {
        const hash = await waitUntilMined(clients, await wallet.writeContract(call));
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
    exited: anvil.supervised.exited,
    unref: () => anvil.supervised.unref(),
    stop: async () => {
      clearInterval(saveTimer);
      await save().catch(() => undefined);
      await anvil.supervised.stop();
      if (nodeFile) rmSync(nodeFile, { force: true });
    },
  };
}
