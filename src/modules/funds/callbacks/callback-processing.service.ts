import { Injectable } from '@nestjs/common';
import { isId } from '../../../common/ids.js';
import { storableText } from '../../../common/storable-text.js';
import { parseJson, readMessage } from '../../../http/request/message-validation.js';
import { WithdrawalMessage } from '../deposits/domain/crypto2b-messages.js';
import { fieldsOf, parseMessage, readDeposit } from '../deposits/domain/crypto2b-protocol.js';
import { DepositsService } from '../deposits/deposits.service.js';
import { YieldReportMessage } from '../../investing/strategies/domain/yield-message.js';
import { YieldReportsService } from '../../investing/strategies/yield-reports.service.js';
import { WithdrawalPaymentsService } from '../withdrawals/withdrawal-payments.service.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { failed, ignored, PROCESSED, type ProcessingResult } from './domain/webhook-event.js';
import type { ClaimedWebhookEvent } from './webhook-events.repository.js';

const FAILURE_STATUSES = new Set(['Failed', 'Rejected']);
const MAX_REASON_LENGTH = 500;

/** Applies the stored callbacks of the providers by their kind. Processing a callback twice has the same effect as once. */
@Injectable()
export class CallbackProcessingService {
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
   * A reported failure changes the status of a withdrawal from `processing` to `failed`. A reported success does not complete it, because
   * operators do that by hand. If the reported transaction is a late payment, an alert is raised.
   */
  private async processWithdrawal({ body }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    const message = readMessage(WithdrawalMessage, fieldsOf(parseMessage(body)).data);
    const id = message?.withdrawalId;
    if (!message || !id) return failed('the body is not a withdrawal');
    const { status, error } = message;
    const hash = message.transaction?.hash ?? undefined;
    if (status === 'Success' && hash !== undefined) {
      const result = await this.payments.checkLatePayment(id, hash, 'provider');
      if (result === 'paid') return PROCESSED;
    }
    if (!FAILURE_STATUSES.has(status)) return ignored(`the status ${status} changes nothing`);
    if (!isId(id)) return ignored('the id of the withdrawal is not a UUID');
    const reason = storableText(error, MAX_REASON_LENGTH) ?? 'The provider gave no reason.';
    const result = await this.withdrawals.recordProviderFailure(id, reason);
    return result === 'failed' ? PROCESSED : ignored(`the withdrawal is ${result}`);
  }

  private async processYield({ body, eventKey }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    // `parseJson` reads the fields: `parseMessage` turns numbers into texts, so a number instead of a text would not be refused.
    // `parseMessage` only checks the body: it refuses a field that occurs twice, which `parseJson` accepts.
    const json = parseMessage(body) === undefined ? undefined : parseJson(body);
    if (fieldsOf(json).type !== 'yield.reported') return ignored('the type is not known');
    const message = readMessage(YieldReportMessage, json);
    if (!message) return failed('the body is not a yield report');
    await this.yieldReports.record({ ...message.data, eventId: eventKey });
    return PROCESSED;
  }
}
