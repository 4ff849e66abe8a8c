import { Body, Controller, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { ContinueLogRequest } from './dto/admin-proofs.request.js';
import { CheckpointResponse } from './dto/proofs.response.js';
import { LogRestoresService } from './log-restores.service.js';
import { toCheckpointResponse } from './proofs.mapper.js';

@Controller('api/admin/proofs')
export class AdminProofsController {
  constructor(private readonly restores: LogRestoresService) {}

  @Post('continue')
  @AdminRoute('*', {
    summary: 'Continue the transparency log after a restore, unless it contradicts a published checkpoint',
    data: CheckpointResponse,
    errors: ['INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async continue(
    @Body() body: ContinueLogRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<CheckpointResponse> {
    return toCheckpointResponse(await this.restores.continueLog(body, admin));
  }
}
