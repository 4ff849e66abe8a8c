import { defineChain } from 'viem';
import { CHAIN_ID } from './anvil.js';

/** The chain definition for viem. Importing `viem/chains` would load seven hundred definitions. */
export const ANVIL_CHAIN = defineChain({
  id: CHAIN_ID,
  name: 'anvil',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
});
