import {
  Choice,
  Count,
  DayText,
  Flag,
  HashText,
  Instant,
  MoneyText,
  Nested,
  replacedBy,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { WebhookBody } from '../../../../http/openapi/webhooks.js';
import { EVENT_TYPES, TEST_EVENT } from '../webhooks.types.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

// The field `data` of webhook events and of users' live events.

export class DepositEventData {
  @Uuid() depositId!: string;
  @Choice(['pending', 'confirming', 'completed', 'failed']) status!: string;
  @MoneyText({ description: 'as received, in the currency' }) amount!: string;
  @Choice(DEPOSIT_CURRENCIES) currency!: string;
  @Choice(NETWORKS) network!: string;
  @MoneyText({
    nullable: true,
    description: 'in USDC, or in ETH for ETH; null until the deposit is completed',
  })
  credited!: string | null;
  @Text() txHash!: string;
  @Text({ nullable: true }) fromAddress!: string | null;
  @Text() toAddress!: string;
  @Count({ example: 12, description: 'confirmations at the last report or reading of the chain' })
  confirmations!: number;
  @Text({ nullable: true, description: 'a sentence for the user, of held and failed deposits' })
  reason!: string | null;
}

export class InvestmentEventData {
  @Uuid({ description: 'of investment.moved: the investment that the move opened' }) investmentId!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({
    description:
      'principal; of a partial closing that of the closed part, of investment.moved that of the investment that the move opened',
  })
  amount!: string;
  @Choice(['USDC']) currency!: string;
  @MoneyText({
    nullable: true,
    description:
      'of what ended, before fees: closed, moved, cancelled or rejected; null if the event ended nothing',
  })
  finalValue!: string | null;
  @MoneyText({ nullable: true, description: 'principal of what ended; null if the event ended nothing' })
  initialInvestment!: string | null;
  @MoneyText({
    nullable: true,
    description:
      'finalValue less initialInvestment; negative for a loss and for growth that cancelling takes back; null if the event ended nothing',
  })
  totalEarnings!: string | null;
  @MoneyText({
    nullable: true,
    description:
      'finalValue less fees: what became available; 0.00 for a move; null if the event ended nothing',
  })
  withdrawnAmount!: string | null;
  @MoneyText({ description: 'all fees that a closing charged, in one sum; 0.00 for other events' })
  fees!: string;
  @MoneyText({
    ...replacedBy('totalEarnings'),
    description: `${replacedBy('totalEarnings').description}. 0.00 where totalEarnings is null`,
  })
  growth!: string;
  @MoneyText({
    nullable: true,
    description: 'principal that stays invested after a partial closing; null otherwise',
  })
  stillInvested!: string | null;
  @Text({ nullable: true, description: 'of a rejection' }) reason!: string | null;
  @Uuid({
    nullable: true,
    description: 'the investment that was moved into this one; null if no move opened it',
  })
  movedFrom!: string | null;
  @Uuid({
    nullable: true,
    description:
      'the investment into which this one was moved; of investment.moved the same as investmentId; null if it was not moved',
  })
  movedTo!: string | null;
}

export class WithdrawalEventData {
  @Uuid() withdrawalId!: string;
  @Choice(['pending', 'processing', 'completed', 'rejected', 'failed']) status!: string;
  @MoneyText({ description: 'requested amount in USDC' }) amount!: string;
  @Choice(['USDC']) currency!: string;
  @Text() toAddress!: string;
  @Text({ nullable: true }) txHash!: string | null;
  @Text({ nullable: true, description: 'a sentence, of rejected, failed and returned withdrawals' })
  reason!: string | null;
  @Flag() cancelledByUser!: boolean;
  @Instant({ nullable: true }) cancelledAt!: string | null;
}

export class LogCheckpointData {
  @DayText({ description: 'the UTC day that has ended' }) day!: string;
  @Count({ description: 'leaves of the transparency log' }) size!: number;
  @HashText({ description: 'root of the tree' }) root!: string;
  @Text({ description: 'the signed checkpoint, as GET /api/proofs/checkpoint answers it' })
  checkpoint!: string;
}

export class WebhookTestData {
  @Uuid() webhookId!: string;
}

const DELIVERY =
  'Sent to the webhooks of a user at least once, in any order. Anything but 2xx within ten seconds is tried again for about three days; 410 disables the webhook.';

/** An event in the section `webhooks` of the OpenAPI document. */
const delivered = (name: string, summary: string) =>
  WebhookBody({
    name,
    tag: 'Outbound webhooks',
    summary,
    description: DELIVERY,
    contentType: 'application/json',
  });

const typesOf = (topic: string) => EVENT_TYPES.filter((type) => type.startsWith(`${topic}.`));

@delivered('depositEvent', 'A deposit has changed')
export class DepositEventBody {
  @Choice(typesOf('deposit')) type!: string;
  @Instant({ description: 'of the event' }) timestamp!: string;
  @Nested(() => DepositEventData) data!: DepositEventData;
}

@delivered('investmentEvent', 'An investment has changed')
export class InvestmentEventBody {
  @Choice(typesOf('investment')) type!: string;
  @Instant({ description: 'of the event' }) timestamp!: string;
  @Nested(() => InvestmentEventData) data!: InvestmentEventData;
}

@delivered('withdrawalEvent', 'A withdrawal has changed')
export class WithdrawalEventBody {
  @Choice(typesOf('withdrawal')) type!: string;
  @Instant({ description: 'of the event' }) timestamp!: string;
  @Nested(() => WithdrawalEventData) data!: WithdrawalEventData;
}

@delivered('checkpointEvent', 'The transparency log has closed a day')
export class CheckpointEventBody {
  @Choice(typesOf('log')) type!: string;
  @Instant({ description: 'of the event' }) timestamp!: string;
  @Nested(() => LogCheckpointData) data!: LogCheckpointData;
}

@delivered('testEvent', 'The user has asked for a test')
export class TestEventBody {
  @Choice([TEST_EVENT]) type!: string;
  @Instant({ description: 'of the event' }) timestamp!: string;
  @Nested(() => WebhookTestData) data!: WebhookTestData;
}

export type EventData =
  DepositEventData | InvestmentEventData | WithdrawalEventData | LogCheckpointData | WebhookTestData;
