import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/app-config.js';
import { ChainClient } from '../blockchain/chain.client.js';
import { FaucetAccountClient } from './faucet-account.client.js';
import { FaucetRepository } from './faucet.repository.js';
import type { FaucetBalance, FaucetStatus } from './faucet.types.js';

/** Reads the state of the faucet from the chain and from the stored payouts. */
@Injectable()
export class FaucetStateService {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly account: FaucetAccountClient,
    private readonly faucet: FaucetRepository,
  ) {}

  /** Throws BLOCKCHAIN_ERROR. */
  async readStatus(): Promise<FaucetStatus> {
    const [funds, head] = await Promise.all([this.account.readFunds(), this.chain.head()]);
    return {
      environment: this.config.NODE_ENV,
      contract: this.account.contract,
      dailyLimit: this.config.FAUCET_DAILY_LIMIT,
      funds,
      head,
      figures: await this.faucet.readFigures(this.clock.today()),
    };
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async readBalance(): Promise<FaucetBalance> {
    const [funds, refill] = await Promise.all([this.account.readFunds(), this.account.findLastRefill()]);
    const figures = await this.faucet.readFigures(this.clock.today());
    return { contract: this.account.contract, funds, refill, figures };
  }
}
