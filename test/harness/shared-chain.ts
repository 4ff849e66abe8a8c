import { createTestClient, http, type Hex } from 'viem';
import { ANVIL_CHAIN } from '../../src/sandbox/anvil-chain.js';
import { setToRealTime, startChain, type RunningChain } from '../../src/sandbox/chain.js';

/** An EVM node in the state right after the deployment of the test USDC. */
export interface AcquiredChain {
  readonly chain: RunningChain;
  release(): Promise<void>;
}

interface IdleChain {
  chain: RunningChain;
  snapshot: Hex;
}

const idle: IdleChain[] = [];

/** Returns an idle node of this test worker, or starts one: starting a node and deploying takes half a second. */
export async function acquireChain(): Promise<AcquiredChain> {
  const { chain, snapshot } = idle.pop() ?? (await startNode());
  return {
    chain,
    release: async () => {
      const reverted = await revertTo(snapshot, chain).catch(() => undefined); // fails if the test ended the node
      if (reverted) idle.push(reverted);
      else await chain.stop();
    },
  };
}

/** Reverts the chain. Returns undefined if the node answers false, which means that it has lost the snapshot. */
async function revertTo(snapshot: Hex, chain: RunningChain): Promise<IdleChain | undefined> {
  const isReverted: unknown = await nodeOf(chain).request({ method: 'evm_revert', params: [snapshot] });
  if (isReverted !== true) return undefined;
  await setToRealTime(chain.rpcUrl);
  return { chain, snapshot: await nodeOf(chain).snapshot() };
}

async function startNode(): Promise<IdleChain> {
  const chain = await startChain();
  chain.unref();
  return { chain, snapshot: await nodeOf(chain).snapshot() };
}

const nodeOf = (chain: RunningChain) =>
  createTestClient({ chain: ANVIL_CHAIN, transport: http(chain.rpcUrl), mode: 'anvil' });
