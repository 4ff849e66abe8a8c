import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Money } from '../../../common/money.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
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

  /** Adds lines with the ledger's balances, less the amounts of the lines on chain. `balances` has custody before the provider. */
  addBookLines(onChain: readonly AssetLine[], balances: readonly PlaceBalance[]): AssetLine[] {
    if (onChain.length === 0) return balances.flatMap((balance) => bookLineOf(balance, 'custody'));
    const usdcOnChain = Money.sum(onChain.map(({ amount }) => Money.of(amount)));
    const booked = withoutUsdcOnChain(balances, usdcOnChain);
    return [...onChain, ...booked.flatMap((balance) => bookLineOf(balance, 'custody-elsewhere'))];
  }
}

/**
 * Subtracts the USDC at custody's addresses from custody's balance. If the chain shows more than the ledger, the rest can be a
 * transfer from the deposit provider that is not posted yet, so it is subtracted from the provider's balance and counts once.
 */
function withoutUsdcOnChain(balances: readonly PlaceBalance[], usdcOnChain: Money): PlaceBalance[] {
  let rest = usdcOnChain;
  return balances.map((balance) => {
    const { kind, scope, asset, amount } = balance;
    const isCustody = kind === 'asset.custody';
    const isSource = kind === 'asset.deposit-provider' && scope === 'ERC20' && rest.isPositive();
    if (asset !== 'USDC' || !(isCustody || isSource)) return balance;
    const difference = amount.minus(rest);
    rest = Money.max(difference.negated(), Money.ZERO);
    return { ...balance, amount: Money.max(difference, Money.ZERO) };
  });
}

function bookLineOf(
  { kind, scope, asset, amount }: PlaceBalance,
  custodyPlace: 'custody' | 'custody-elsewhere',
): AssetLine[] {
  const rounded = amount.roundDown(scaleOf(asset));
  if (rounded.isZero()) return [];
  const place = kind === 'asset.custody' ? custodyPlace : `deposit-provider/${scope}`;
  return [{ place, asset, amount: rounded.toExact(), source: 'books' }];
}
