import { Controller, Get, Param } from '@nestjs/common';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { TransactionProofResponse } from './dto/proofs.response.js';
import { toTransactionProofResponse } from './proofs.mapper.js';
import { TransactionProofsService } from './transaction-proofs.service.js';

@Controller('api/admin/transactions')
export class AdminTransactionProofsController {
  constructor(private readonly proofs: TransactionProofsService) {}

  @Get(':id/proof')
  @AdminRoute('transactions:read', {
    summary: 'Proofs that the ledger transactions of a transaction are in the transparency log',
    data: TransactionProofResponse,
    errors: ['TRANSACTION_NOT_FOUND', 'PROOF_PENDING'],
  })
  async prove(
    @Param('id', new IdPipe('TRANSACTION_NOT_FOUND')) id: string,
  ): Promise<TransactionProofResponse> {
    return toTransactionProofResponse(await this.proofs.proveAnyTransaction(id));
  }
}
