import { Injectable } from '@nestjs/common';
import { DomainEvents, type DomainEvent } from '../../../events/domain-events.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Money } from '../../../common/money.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import type { Investment } from './entities/investment.entity.js';

/** Topic `investment`: emitted in the transaction that changes the investment. */
export interface InvestmentEvent extends DomainEvent {
  readonly name:
    | 'investment.created'
    | 'investment.approved'
    | 'investment.rejected'
    | 'investment.partially-closed'
    | 'investment.closed'
    | 'investment.moved'
    | 'investment.cancelled';
  /** In `moved`, the investment that the move opened. */
  readonly investmentId: string;
  readonly strategyId: string;
  readonly strategyName: string;
  /** Of a partial closing, the principal of the closed part. */
  readonly principal: Money;
  /**
   * Growth realised on closing or moving; a loss is negative. On cancelling the paid amount less the principal: negative for a loss, and
   * if growth of earlier legs is taken back. Zero otherwise.
   */
  readonly growth: Money;
  /** All fees of a closing, carried fees included; zero otherwise. */
  readonly fees: Money;
  /** Of a partial closing: its number, and the principal that stays invested. */
  readonly part?: { readonly number: number; readonly left: Money };
  /** The investment waits for an admin's approval; of `created` only. */
  readonly isPending?: boolean;
  /** Reason of a rejection. */
  readonly reason?: string;
  /** Names of both strategies, in `moved` and in the events of the two investments of a move. */
  readonly moved?: { readonly from: string; readonly to: string };
  /** The investment that was moved into this one, and the one into which it was moved. Absent from events of earlier versions. */
  readonly movedFrom?: string | null;
  readonly movedTo?: string | null;
}

type Amounts = Partial<Pick<InvestmentEvent, 'principal' | 'growth' | 'fees'>>;
type Extras = Pick<InvestmentEvent, 'part' | 'isPending' | 'reason' | 'moved' | 'movedTo'>;

/** Emits the events of the topic `investment` with the name of the strategy. */
@Injectable()
export class InvestmentEventEmitter {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly strategies: StrategiesService,
  ) {}

  /** Emits the event of a change, at the time of the change. By default there is no growth and no fee. */
  async emitInvestmentEvent(
    tx: Tx,
    name: InvestmentEvent['name'],
    { id, userId, strategyId, amount, updatedAt, movedFrom, movedTo }: Investment,
    fields: Amounts & Extras = {},
  ): Promise<void> {
    const event: InvestmentEvent = {
      name,
      userId,
      at: updatedAt,
      investmentId: id,
      strategyId,
      strategyName: this.strategies.getStrategy(strategyId).name,
      principal: amount,
      growth: Money.ZERO,
      fees: Money.ZERO,
      movedFrom,
      movedTo,
      ...fields,
    };
    await this.domainEvents.emit(tx, event);
  }
}
