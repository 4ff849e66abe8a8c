import { Body, Controller, Param, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { AcceptReviewDto } from './dto/screening.request.js';
import { AcceptedReviewView, acceptedReviewView } from './dto/screening.response.js';
import { UserScreening } from './user-screening.service.js';

@Controller('api/admin/users')
export class UserScreeningController {
  constructor(private readonly users: UserScreening) {}

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary: 'Accept the screening verdict review of a user until the next verdict',
    data: AcceptedReviewView,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async accept(
    @Param('id', new IdPipe('USER_NOT_FOUND')) id: string,
    @Body() body: AcceptReviewDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AcceptedReviewView> {
    return acceptedReviewView(await this.users.acceptReview(id, body.reason, admin));
  }
}
