import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { TransactionProofResponse } from './dto/proofs.response.js';
import { toTransactionProofResponse } from './proofs.mapper.js';
import { TransactionProofsService } from './transaction-proofs.service.js';

@Controller('api/user/transactions')
export class TransactionProofsController {
  constructor(private readonly proofs: TransactionProofsService) {}

  @Get(':id/proof')
  @UserRoute({
    scope: 'transactions:read',
    summary:
      "Proofs that the ledger transactions of one of the user's transactions are in the transparency log",
    data: TransactionProofResponse,
    errors: ['TRANSACTION_NOT_FOUND', 'PERMISSION_DENIED', 'PROOF_PENDING'],
  })
  async prove(
    @CurrentUser() user: UserPrincipal,
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
  ): Promise<TransactionProofResponse> {
    return toTransactionProofResponse(await this.proofs.proveUserTransaction(id, user.id));
  }
}
