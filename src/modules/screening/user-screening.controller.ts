import { Body, Controller, Param, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { AcceptReviewRequest } from './dto/screening.request.js';
import { AcceptedReviewResponse } from './dto/screening.response.js';
import { toAcceptedReviewResponse } from './screening.mapper.js';
import { UserScreeningService } from './user-screening.service.js';

@Controller('api/admin/users')
export class UserScreeningController {
  constructor(private readonly screening: UserScreeningService) {}

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary: 'Accept a user whose screening verdict is `review`, until the next verdict',
    data: AcceptedReviewResponse,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async accept(
    @Param('id', new IdPipe('USER_NOT_FOUND')) id: string,
    @Body() body: AcceptReviewRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AcceptedReviewResponse> {
    return toAcceptedReviewResponse(await this.screening.acceptReview(id, body.reason, admin));
  }
}
