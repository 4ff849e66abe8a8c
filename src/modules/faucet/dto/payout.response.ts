import {
  Choice,
  Count,
  Instant,
  ListOf,
  MoneyText,
  PaginationField,
  Text,
} from '../../../http/openapi/fields.js';
import type { Pagination } from '../../../http/request/pagination.js';
import { PAYOUT_STATUSES } from '../entities/faucet-payout.entity.js';

export class FaucetRecordResponse {
  @Text({ description: 'changes while the payout is pending if another transaction uses its nonce' })
  transactionHash!: string;
  @Text({ description: 'checksummed' }) walletAddress!: string;
  @MoneyText({ description: 'in USDC', example: '1000.00' }) amount!: string;
  @Choice(['USDC']) currency!: string;
  @Choice(PAYOUT_STATUSES, {
    description: 'pending: sent and not mined yet; failed: reverted by the chain, nothing was paid',
  })
  status!: string;
  @Count({ nullable: true, description: 'null while it is pending' }) blockNumber!: number | null;
  @Text({ nullable: true, description: 'null while it is pending', example: '51342' }) gasUsed!:
    string | null;
  @Text({
    nullable: true,
    description: 'in ETH, with all decimals: gas used × its price; null while it is pending',
    example: '0.000051342',
  })
  gasCost!: string | null;
  @Instant({ description: 'time of the request' }) timestamp!: string;
  @Text({
    nullable: true,
    description: 'null if the chain has no public explorer',
    example:
      'https://sepolia.etherscan.io/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  })
  explorerUrl!: string | null;
}

export class FaucetPayoutResponse extends FaucetRecordResponse {
  @Count({ description: 'number of blocks from its own to the newest, both included; 0 while it is pending' })
  confirmations!: number;
  @Instant({ description: '24 hours after this request; the time of the request if it failed' })
  nextAllowedRequest!: string;
}

export class FaucetHistoryRecordResponse extends FaucetRecordResponse {
  @Text({ nullable: true, description: 'from the request' }) reason!: string | null;
}

export class FaucetHistoryResponse {
  @ListOf(() => FaucetHistoryRecordResponse, { description: 'the newest first' })
  records!: FaucetHistoryRecordResponse[];
  @PaginationField() pagination!: Pagination;
}
