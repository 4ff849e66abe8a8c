import {
  Choice,
  Count,
  DayText,
  Flag,
  HashText,
  Instant,
  MoneyText,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';

// The field `data` of webhook events and of users' live events.

export class DepositEventData {
  @Uuid() depositId!: string;
  @Choice(['pending', 'confirming', 'completed', 'failed']) status!: string;
  @MoneyText({ description: 'as received, in the currency' }) amount!: string;
  @Text({ example: 'USDC' }) currency!: string;
  @Text({ example: 'ERC20' }) network!: string;
  @MoneyText({
    nullable: true,
    description: 'in USDC, or in ETH for ETH; null until the deposit is completed',
  })
  credited!: string | null;
  @Text() txHash!: string;
  @Text({ nullable: true }) fromAddress!: string | null;
  @Text() toAddress!: string;
  @Count({ example: 12 }) confirmations!: number;
  @Text({ nullable: true, description: 'a sentence for the user, of held and failed deposits' })
  reason!: string | null;
}

export class InvestmentEventData {
  @Uuid() investmentId!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'principal; of a partial closing that of the closed part' }) amount!: string;
  @Choice(['USDC']) currency!: string;
  @MoneyText({
    description: 'realised on closing, or given back on cancelling; negative for a loss; zero otherwise',
  })
  growth!: string;
  @MoneyText({ description: 'on closing; zero otherwise' }) fees!: string;
  @MoneyText({
    nullable: true,
    description: 'principal that stays invested after a partial closing; null otherwise',
  })
  stillInvested!: string | null;
  @Text({ nullable: true, description: 'of a rejection' }) reason!: string | null;
}

export class WithdrawalEventData {
  @Uuid() withdrawalId!: string;
  @Choice(['pending', 'processing', 'completed', 'rejected', 'failed']) status!: string;
  @MoneyText() amount!: string;
  @Choice(['USDC']) currency!: string;
  @Text() toAddress!: string;
  @Text({ nullable: true }) txHash!: string | null;
  @Text({ nullable: true, description: 'a sentence, of rejected and failed withdrawals' })
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

export type EventData =
  DepositEventData | InvestmentEventData | WithdrawalEventData | LogCheckpointData | WebhookTestData;
