import { defineChain } from 'viem';
import { CHAIN_ID } from './anvil.js';

/** What viem has to know of the node. `viem/chains` would say the same and load seven hundred other chains with it. */
export const ANVIL_CHAIN = defineChain({
  id: CHAIN_ID,
  name: 'anvil',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
});
