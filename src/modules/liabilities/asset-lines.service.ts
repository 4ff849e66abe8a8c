import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Money } from '../../common/money.js';
import { ChainClient } from '../blockchain/chain.client.js';
import { scaleOf } from '../proofs/domain/sum-tree.js';
import type { AssetLine, PlaceBalance } from './liabilities.types.js';

/**
 * Lists where the assets of a day are: the USDC at custody's addresses from the chain if the day has just ended, everything
 * else from the ledger's balances at midnight.
 */
@Injectable()
export class AssetLinesService {
  constructor(
    private readonly config: AppConfig,
    private readonly chain: ChainClient,
  ) {}

  /**
   * The USDC at custody's addresses in the newest block, one line for each address. Custody holds USDC; the ether at its
   * addresses only pays for transactions. Throws BLOCKCHAIN_ERROR.
   */
  async listOnChain(): Promise<AssetLine[]> {
    const { CUSTODY_ADDRESS, CUSTODY_ADDRESSES } = this.config;
    const configured = [CUSTODY_ADDRESS, ...CUSTODY_ADDRESSES].filter((address) => address !== undefined);
    const addresses = [...new Set(configured)];
    if (addresses.length === 0) return [];
    const block = await this.chain.newestBlock();
    const balances = await this.chain.balances(addresses, block);
    return addresses.map((address, index) => ({
      place: 'custody',
      asset: 'USDC',
      amount: (balances[index]?.usdc ?? Money.ZERO).toExact(),
      source: 'chain',
      block,
      address,
    }));
  }

  /** Adds lines with the ledger's balances; from custody's USDC it subtracts the amounts of the lines on chain. */
  addBookLines(onChain: readonly AssetLine[], balances: readonly PlaceBalance[]): AssetLine[] {
    const usdcOnChain =
      onChain.length > 0 ? Money.sum(onChain.map(({ amount }) => Money.of(amount))) : undefined;
    return [...onChain, ...balances.flatMap((balance) => bookLinesOf(balance, usdcOnChain))];
  }
}

/** `usdcOnChain`: the sum at custody's addresses; undefined without addresses or if the day is closed late. */
function bookLinesOf(
  { kind, scope, asset, amount }: PlaceBalance,
  usdcOnChain: Money | undefined,
): AssetLine[] {
  const isOnChain = kind === 'asset.custody' && asset === 'USDC' && usdcOnChain !== undefined;
  // The chain shows more than the ledger while an incoming transfer is not posted; nothing is then elsewhere.
  const difference = isOnChain ? Money.max(amount.minus(usdcOnChain), Money.ZERO) : amount;
  const notOnChain = difference.roundDown(scaleOf(asset));
  if (notOnChain.isZero()) return [];
  const custodyPlace = isOnChain ? 'custody-elsewhere' : 'custody';
  const place = kind === 'asset.custody' ? custodyPlace : `deposit-provider/${scope}`;
  return [{ place, asset, amount: notOnChain.toExact(), source: 'books' }];
}
