import {
  BooleanField,
  EnumField,
  InstantField,
  IntegerField,
  MoneyField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES } from '../../../identity/approvals/approvals.types.js';
import {
  DepositEventData,
  InvestmentEventData,
  WithdrawalEventData,
} from '../../webhooks/dto/webhook.response.js';
import { TICKET_SECONDS } from '../live.types.js';

export class LiveTicketResponse {
  @StringField({ description: 'opens one connection to /api/live?ticket=…' }) ticket!: string;
  @InstantField({ description: `in ${TICKET_SECONDS} seconds` }) expiresAt!: string;
}

export class WebsocketStatusResponse {
  @BooleanField({ description: 'false: this process accepts no connections' }) enabled!: boolean;
  @EnumField(['available', 'unavailable']) status!: string;
  @StringField({ description: 'how to connect, or the routes to use instead' }) message!: string;
  @StringField({ example: '/api/live' }) path!: string;
  @IntegerField({ description: 'open connections of this process' }) connections!: number;
  @IntegerField({ description: 'events that this process has sent since its start' }) delivered!: number;
  @IntegerField({
    description: 'age of the oldest event that is not delivered yet, in milliseconds; 0 without one',
  })
  oldestUndeliveredMs!: number;
}

export class BalanceChangedData {
  @MoneyField({ description: 'available + invested' }) total!: string;
  @MoneyField() available!: string;
  @MoneyField({ description: 'principal of open investments' }) invested!: string;
  @MoneyField({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
}

export class AdminDepositEventData extends DepositEventData {
  @UuidField() userId!: string;
}

export class AdminWithdrawalEventData extends WithdrawalEventData {
  @UuidField() userId!: string;
}

export class AdminInvestmentEventData extends InvestmentEventData {
  @UuidField() userId!: string;
}

export class IntegrityViolationData {
  @UuidField({ description: 'the run of the integrity check' }) runId!: string;
}

export class ApprovalEventData {
  @UuidField() id!: string;
  @EnumField(APPROVAL_KINDS) kind!: string;
  @EnumField(APPROVAL_STATUSES) status!: string;
  @StringField({ description: 'kind of the record that the change concerns', example: 'user' })
  subjectType!: string;
  @StringField() subjectId!: string;
  @StringField({ example: 'ann@example.org', description: 'names the record for people' })
  subjectLabel!: string;
  @StringField({ example: 'admin@example.com' }) requestedBy!: string;
  @StringField({ nullable: true, description: 'null while it is pending' }) decidedBy!: string | null;
}

export class RequestAssignedData {
  @UuidField({ description: 'the transaction request' }) id!: string;
  @StringField({ description: 'e-mail address of the admin' }) assignedTo!: string;
}
