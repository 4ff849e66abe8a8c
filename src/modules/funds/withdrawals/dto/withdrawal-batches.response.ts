import { Choice, Instant, ListOf, MoneyText, Text, TextList, Uuid } from '../../../../http/openapi/fields.js';
import { EVM_NETWORKS } from '../../addresses/domain/destination.js';

export class PaymentFileLineResponse {
  @Uuid()
  id!: string;
  @MoneyText({ description: 'to be paid' })
  amount!: string;
  @Choice(['USDC'])
  currency!: string;
  @Choice(EVM_NETWORKS)
  network!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  toAddress!: string;
  @Text({ example: 'ann@example.org' })
  userEmail!: string;
  @Instant()
  takenAt!: string;
}

export class RefusedOutcomeResponse {
  @Uuid()
  id!: string;
  @Text({ example: 'INVALID_STATE' })
  code!: string;
  @Text()
  message!: string;
  @Uuid({
    optional: true,
    description: 'with FOUR_EYES_REQUIRED: the approval for which the change waits, if it was requested',
  })
  approvalId?: string;
}

export class BulkCompleteResponse {
  @TextList({
    description:
      'ids of the withdrawals that are completed, by this or an earlier request of the caller with this hash',
  })
  completed!: string[];
  @ListOf(() => RefusedOutcomeResponse)
  failed!: RefusedOutcomeResponse[];
}

export class BulkRejectResponse {
  @TextList({
    description:
      'ids of the withdrawals that are rejected, by this or an earlier request of the caller for this reason',
  })
  rejected!: string[];
  @ListOf(() => RefusedOutcomeResponse)
  failed!: RefusedOutcomeResponse[];
}
