import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import { ChainClient } from '../blockchain/chain.client.js';
import { scaleOf } from '../proofs/domain/smallest-parts.js';
import type { AssetLine } from './liabilities.types.js';
import { PastAmountsRepository, type PlaceBalance } from './past-amounts.repository.js';

/** Collects where the assets of a day are. */
@Injectable()
export class AssetLinesService {
  constructor(
    private readonly config: AppConfig,
    private readonly chain: ChainClient,
    private readonly amounts: PastAmountsRepository,
  ) {}

  /**
   * The chain shows the USDC of custody's addresses now; the ledger's entries tell about all other places at the end of the
   * day. Throws BLOCKCHAIN_ERROR.
   */
  async listLines(day: Day): Promise<AssetLine[]> {
    const books = await this.amounts.findPlaceBalances(day);
    const onChain = await this.listCustodyOnChain();
    const shown = Money.sum(onChain.map(({ amount }) => Money.of(amount)));
    const stated = books.flatMap((balance) => stateBooks(balance, onChain.length > 0 ? shown : undefined));
    return [...onChain, ...stated];
  }

  /** Custody holds USDC; the ether at its addresses only pays for transactions. */
  private async listCustodyOnChain(): Promise<AssetLine[]> {
    const { CUSTODY_ADDRESS: receiving, CUSTODY_ADDRESSES: paying } = this.config;
    const addresses = [...new Set([...(receiving === undefined ? [] : [receiving]), ...paying])];
    if (addresses.length === 0) return [];
    const block = await this.chain.newestBlock();
    const balances = await this.chain.balances(addresses, block);
    return addresses.map((address, place) => ({
      place: 'custody',
      asset: 'USDC',
      amount: (balances[place]?.usdc ?? Money.ZERO).toExact(),
      source: 'chain',
      block,
      address,
    }));
  }
}

/** `shown`: the USDC that the chain shows of custody; undefined without addresses. */
function stateBooks({ kind, scope, asset, amount }: PlaceBalance, shown: Money | undefined): AssetLine[] {
  const isShown = kind === 'asset.custody' && asset === 'USDC' && shown !== undefined;
  // The chain shows more than the entries say if money came in that is not posted yet.
  const stated = (isShown ? Money.max(amount.minus(shown), Money.ZERO) : amount).roundDown(scaleOf(asset));
  if (stated.isZero()) return [];
  const place =
    kind === 'asset.custody' ? (isShown ? 'custody-elsewhere' : 'custody') : `deposit-provider/${scope}`;
  return [{ place, asset, amount: stated.toExact(), source: 'books' }];
}
