import { createHash, randomBytes } from 'node:crypto';
import { getAddress } from 'viem';

/** The number of confirmations after which a deposit is final, by network. */
export const FINAL_AFTER = { ERC20: 12, BEP20: 15, TRC20: 20 } as const;

export type Network = keyof typeof FINAL_AFTER;

const CURRENCIES: Record<Network, readonly string[]> = {
  ERC20: ['USDC', 'USDT', 'ETH'],
  BEP20: ['USDC', 'USDT'],
  TRC20: ['USDC', 'USDT'],
};

export function isSupported(currency: string, network: string): network is Network {
  return Object.hasOwn(CURRENCIES, network) && CURRENCIES[network as Network].includes(currency);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const TRON_PREFIX = 0x41;

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Base58Check for payloads that do not begin with a zero byte. */
function base58Check(payload: Buffer): string {
  const checksum = sha256(sha256(payload)).subarray(0, 4);
  let number = BigInt(`0x${Buffer.concat([payload, checksum]).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = BASE58.charAt(Number(number % 58n)) + text;
  return text;
}

/** A random address in the network's format. Its key is unknown, because the sandbox only pays to it. */
export function newAddress(network: Network): string {
  const account = randomBytes(20);
  if (network === 'TRC20') return base58Check(Buffer.concat([Buffer.from([TRON_PREFIX]), account]));
  return getAddress(`0x${account.toString('hex')}`);
}

/** A random transaction hash in the network's format, for simulated payments. */
export function newHash(network: Network): string {
  const hash = randomBytes(32).toString('hex');
  return network === 'TRC20' ? hash : `0x${hash}`;
}
