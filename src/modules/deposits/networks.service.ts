import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { Chain } from '../blockchain/chain.js';
import { DepositPoller } from './deposit-poller.js';
import {
  toChainNetworkStatusResponse,
  toNetworkResponse,
  readBy,
  toWatchedDepositsResponse,
  type ChainNetworkStatusResponse,
  type NetworkResponse,
  type WatchedDepositsResponse,
} from './dto/network.response.js';
import { chainIdOf, NETWORKS, type Network } from './networks.js';

/** What anybody may know of the networks that deposits come from. */
@Injectable()
export class NetworksService {
  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly chain: Chain,
    private readonly poller: DepositPoller,
    private readonly clock: Clock,
  ) {}

  list(): NetworkResponse[] {
    return NETWORKS.map((network) => toNetworkResponse(this.config, network));
  }

  /** By name or chain id. Throws DEPOSIT_NETWORK_ERROR; BLOCKCHAIN_ERROR for the network that the service reads itself. */
  async status(id: string): Promise<ChainNetworkStatusResponse> {
    const network = this.find(id);
    const head = readBy(network) === 'node' ? await this.chain.head() : null;
    const answers = [
      this.poller.answers('provider'),
      ...(head ? [this.poller.answers('chain') ?? true] : []),
    ];
    return toChainNetworkStatusResponse(this.config, network, { answers, head, at: this.clock.now() });
  }

  /** What is watched on chain, without a word about whose it is. */
  async watched(): Promise<WatchedDepositsResponse> {
    const blockNumber = await this.chain.head().then(
      (head) => head.blockNumber,
      () => null, // the adapter has logged why
    );
    const [counts] = await this.dataSource.query<{ pending: number; confirming: number }[]>(
      `select count(*) filter (where status = 'pending')::int as pending,
              count(*) filter (where status = 'confirming')::int as confirming
         from deposit where network = 'ERC20' and currency = 'USDC' and status in ('pending', 'confirming')
            and not only_claimed and hold_reason is distinct from 'BOOKED_BY_HAND'`,
    );
    return toWatchedDepositsResponse(this.config, blockNumber, counts ?? { pending: 0, confirming: 0 });
  }

  private find(id: string): Network {
    const network = NETWORKS.find(
      (name) => name === id.toUpperCase() || String(chainIdOf(this.config, name)) === id,
    );
    return network ?? fail('DEPOSIT_NETWORK_ERROR', { supported: NETWORKS });
  }
}
