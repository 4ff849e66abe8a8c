import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { ChainClient, type ChainHead } from '../../providers/chain/chain.client.js';
import { DepositListsRepository } from './deposit-lists.repository.js';
import { DepositPollJob } from './deposit-poll.job.js';
import {
  chainIdOf,
  networkStatusOf,
  NETWORKS,
  readerOf,
  type Network,
  type NetworkStatus,
} from './domain/networks.js';

export interface ChainNetworkState {
  readonly network: Network;
  readonly status: NetworkStatus;
  /** Null for a network that the service does not read itself. */
  readonly head: ChainHead | null;
  readonly checkedAt: Date;
}

export interface WatchedDeposits {
  /** Null while the node does not answer. */
  readonly blockNumber: number | null;
  readonly pending: number;
  readonly confirming: number;
}

export interface DepositAvailability {
  /** False if the deposit provider did not answer the last poll. */
  readonly isAccepting: boolean;
  readonly networks: readonly { readonly network: Network; readonly status: NetworkStatus }[];
}

/** The state of the networks that deposits come from. */
@Injectable()
export class NetworksService {
  constructor(
    private readonly config: AppConfig,
    private readonly chain: ChainClient,
    private readonly lists: DepositListsRepository,
    private readonly pollJob: DepositPollJob,
    private readonly clock: Clock,
  ) {}

  /** Whether deposits are accepted and each network's status, from the last poll. Calls neither the provider nor the chain. */
  getDepositAvailability(): DepositAvailability {
    const provider = this.pollJob.isAnswering('provider');
    const chain = this.pollJob.isAnswering('chain');
    return {
      isAccepting: provider !== false,
      networks: NETWORKS.map((network) => ({
        network,
        status: networkStatusOf(readerOf(network) === 'node' ? [provider, chain] : [provider]),
      })),
    };
  }

  /** `id`: a network's name or chain id. Throws DEPOSIT_NETWORK_ERROR; for ERC20, which is read on chain, BLOCKCHAIN_ERROR. */
  async getNetworkState(id: string): Promise<ChainNetworkState> {
    const network = this.requireNetwork(id);
    const head = readerOf(network) === 'node' ? await this.chain.head() : null;
    const provider = this.pollJob.isAnswering('provider');
    const chain = this.pollJob.isAnswering('chain') ?? true; // without a recent poll: `head()` has just answered
    const answers = head ? [provider, chain] : [provider];
    return { network, status: networkStatusOf(answers), head, checkedAt: this.clock.now() };
  }

  /** The newest block and the numbers of deposits of all users that are watched on chain. */
  async getWatchedDeposits(): Promise<WatchedDeposits> {
    const blockNumber = await this.chain.head().then(
      (head) => head.blockNumber,
      () => null, // the client has logged the error
    );
    return { blockNumber, ...(await this.lists.countWatchedDeposits()) };
  }

  private requireNetwork(id: string): Network {
    const network = NETWORKS.find(
      (name) => name === id.toUpperCase() || String(chainIdOf(this.config, name)) === id,
    );
    return network ?? throwError('DEPOSIT_NETWORK_ERROR', { supported: NETWORKS });
  }
}
