import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids.js';
import { storableText } from '../../common/storable-text.js';
import { fieldsOf, parseMessage, readDeposit, textOf } from '../deposits/domain/crypto2b-protocol.js';
import { DepositsService } from '../deposits/deposits.service.js';
import { YieldReportsService } from '../strategies/yield-reports.service.js';
import { WithdrawalPaymentsService } from '../withdrawals/withdrawal-payments.service.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { failed, ignored, PROCESSED, type ProcessingResult } from './domain/webhook-event.js';
import type { ClaimedWebhookEvent } from './webhook-events.repository.js';

const FAILURE_STATUSES = new Set(['Failed', 'Rejected']);
const MAX_REASON_LENGTH = 500;

/** Applies the stored callbacks of the providers by their kind. Processing a callback twice has the same effect as once. */
@Injectable()
export class WebhookProcessingService {
  constructor(
    private readonly deposits: DepositsService,
    private readonly withdrawals: WithdrawalsService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly yieldReports: YieldReportsService,
  ) {}

  processEvent(event: ClaimedWebhookEvent): Promise<ProcessingResult> {
    switch (event.kind) {
      case 'deposit':
        return this.processDeposit(event);
      case 'withdrawal':
        return this.processWithdrawal(event);
      case 'yield':
        return this.processYield(event);
    }
  }

  private async processDeposit({ body }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    const deposit = readDeposit(fieldsOf(parseMessage(body)).data);
    if (!deposit) return failed('the body is not a deposit');
    const result = await this.deposits.recordProviderDeposit(deposit);
    return result.recorded ? PROCESSED : ignored(result.reason);
  }

  /**
   * A reported failure marks a withdrawal in processing failed. A reported success does not complete it, because operators do
   * that by hand. If the reported transaction is a late payment, an alert is raised.
   */
  private async processWithdrawal({ body }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    const data = fieldsOf(fieldsOf(parseMessage(body)).data);
    const status = textOf(data.status);
    const id =
      textOf(data.foreignId) ?? textOf(fieldsOf(data.address).foreignId) ?? textOf(data.paymentOrderId);
    if (data.type !== 'Withdrawal' || !status || !id) return failed('the body is not a withdrawal');
    const hash = textOf(fieldsOf(data.transaction).hash);
    if (status === 'Success' && hash !== undefined) {
      const result = await this.payments.checkLatePayment(id, hash, 'provider');
      if (result === 'paid') return PROCESSED;
    }
    if (!FAILURE_STATUSES.has(status)) return ignored(`the status ${status} changes nothing`);
    if (!isId(id)) return ignored('the id of the withdrawal is not a UUID');
    const reason = storableText(data.error, MAX_REASON_LENGTH) ?? 'The provider gave no reason.';
    const result = await this.withdrawals.recordProviderFailure(id, reason);
    return result === 'failed' ? PROCESSED : ignored(`the withdrawal is ${result}`);
  }

  private async processYield({ body, eventKey }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    const message = fieldsOf(parseMessage(body));
    if (message.type !== 'yield.reported') return ignored('the type is not known');
    const { strategyId, day, apy, realisedAmount } = fieldsOf(message.data);
    if (typeof strategyId !== 'string' || typeof day !== 'string' || typeof apy !== 'string')
      return failed('the body is not a yield report');
    if (realisedAmount !== undefined && typeof realisedAmount !== 'string')
      return failed('realisedAmount is not text');
    await this.yieldReports.record({
      eventId: eventKey,
      strategyId,
      day,
      apy,
      ...(realisedAmount === undefined ? {} : { realisedAmount }),
    });
    return PROCESSED;
  }
}
