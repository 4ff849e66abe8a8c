import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids.js';
import { fieldsOf, parseMessage, readDeposit, textOf } from '../deposits/domain/crypto2b-protocol.js';
import { DepositsService } from '../deposits/deposits.service.js';
import { YieldReportsService } from '../strategies/yield-reports.service.js';
import { LatePaymentWatch } from '../withdrawals/late-payments.job.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { PROCESSED, type Outcome, type WebhookEvent, type WebhookKind } from './webhook-event.js';

const FAILURES = new Set(['Failed', 'Rejected']);

/** What each kind of event does. Doing it again changes nothing. */
@Injectable()
export class WebhookEffects {
  private readonly effects: Record<WebhookKind, (event: WebhookEvent) => Promise<Outcome>> = {
    deposit: (event) => this.deposit(event),
    withdrawal: (event) => this.withdrawal(event),
    yield: (event) => this.yield(event),
  };

  constructor(
    private readonly deposits: DepositsService,
    private readonly withdrawals: WithdrawalsService,
    private readonly latePayments: LatePaymentWatch,
    private readonly yieldReports: YieldReportsService,
  ) {}

  apply(event: WebhookEvent): Promise<Outcome> {
    return this.effects[event.kind](event);
  }

  private async deposit({ body }: WebhookEvent): Promise<Outcome> {
    const told = readDeposit(fieldsOf(parseMessage(body)).data);
    if (!told) return failed('the body is not a deposit');
    const result = await this.deposits.recordProviderDeposit(told);
    return result.recorded ? PROCESSED : ignored(result.reason);
  }

  /**
   * A failure marks the withdrawal failed. An operator completes a withdrawal by hand; a success is only looked up on
   * chain, because the withdrawal may have been marked failed before.
   */
  private async withdrawal({ body }: WebhookEvent): Promise<Outcome> {
    const data = fieldsOf(fieldsOf(parseMessage(body)).data);
    const [status, id] = [textOf(data.status), textOf(data.foreignId) ?? textOf(data.paymentOrderId)];
    if (data.type !== 'Withdrawal' || !status || !id) return failed('the body is not a withdrawal');
    const hash = textOf(fieldsOf(data.transaction).hash);
    if (status === 'Success' && hash !== undefined && (await this.latePayments.lookAt(id, hash)))
      return PROCESSED;
    if (!FAILURES.has(status)) return ignored(`the status ${status} changes nothing`);
    if (!isId(id)) return ignored('the withdrawal is not ours');
    const outcome = await this.withdrawals.recordProviderFailure(
      id,
      textOf(data.error) ?? 'The provider could not carry it out.',
    );
    return outcome === 'failed' ? PROCESSED : ignored(`the withdrawal is ${outcome}`);
  }

  private async yield({ body, eventKey }: WebhookEvent): Promise<Outcome> {
    const message = fieldsOf(parseMessage(body));
    if (message.type !== 'yield.reported') return ignored('the type is not known');
    const { strategyId, day, apy, realisedAmount } = fieldsOf(message.data);
    if (typeof strategyId !== 'string' || typeof day !== 'string' || typeof apy !== 'string') {
      return failed('the body is not a yield report');
    }
    if (realisedAmount !== undefined && typeof realisedAmount !== 'string')
      return failed('realisedAmount is not text');
    await this.yieldReports.record({
      eventId: eventKey,
      strategyId,
      day,
      apy,
      ...(realisedAmount ? { realisedAmount } : {}),
    });
    return PROCESSED;
  }
}

function ignored(reason: string): Outcome {
  return { status: 'ignored', reason };
}

function failed(reason: string): Outcome {
  return { status: 'failed', reason };
}
