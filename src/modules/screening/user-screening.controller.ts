import { Body, Controller, Param, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { AcceptReviewRequest } from './dto/screening.request.js';
import { AcceptedReviewResponse, toAcceptedReviewResponse } from './dto/screening.response.js';
import { UserScreeningService } from './user-screening.service.js';

@Controller('api/admin/users')
export class UserScreeningController {
  constructor(private readonly users: UserScreeningService) {}

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary: 'Accept the screening verdict review of a user until the next verdict',
    data: AcceptedReviewResponse,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async accept(
    @Param('id', new IdPipe('USER_NOT_FOUND')) id: string,
    @Body() body: AcceptReviewRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AcceptedReviewResponse> {
    return toAcceptedReviewResponse(await this.users.acceptReview(id, body.reason, admin));
  }
}
