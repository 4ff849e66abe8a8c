import { MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { InvestmentEventData, WithdrawalEventData } from '../../subscriptions/dto/event-data.response.js';

export class BalanceChangedData {
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText() available!: string;
  @MoneyText({ description: 'principal of open investments' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
}

export class AdminWithdrawalEventData extends WithdrawalEventData {
  @Uuid() userId!: string;
}

export class AdminInvestmentEventData extends InvestmentEventData {
  @Uuid() userId!: string;
}

export class IntegrityViolationData {
  @Uuid({ description: 'the run of the integrity check' }) runId!: string;
}

export class RequestAssignedData {
  @Uuid({ description: 'the transaction request' }) id!: string;
  @Text({ description: 'e-mail address of the admin' }) assignedTo!: string;
}
