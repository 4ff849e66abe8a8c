import { Controller, Delete, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { CleanedTestDataResponse, DeletedTestDataResponse } from './dto/admin-users.response.js';
import { TestDataService } from './test-data.service.js';
import { toResponse } from '../../../http/response/to-response.js';

@ApiTags('Admin: users')
@Controller('api/admin/test-data')
export class TestDataController {
  constructor(private readonly testData: TestDataService) {}

  @Delete()
  @AdminRoute('*', {
    summary:
      'Erase up to 200 users with e-mail addresses of example.com, example.org or .test; those with records of money are deactivated and anonymised',
    developmentOnly: true,
    data: DeletedTestDataResponse,
  })
  async deleteUsers(@CurrentAdmin() admin: AdminPrincipal): Promise<DeletedTestDataResponse> {
    return toResponse(DeletedTestDataResponse, await this.testData.deleteUsers(admin));
  }

  @Post('cleanup')
  @AdminRoute('*', {
    operationId: 'cleanUpTestData',
    summary:
      'Delete expired sessions, refresh tokens, idempotency keys and wallet challenges of users with test e-mail addresses',
    developmentOnly: true,
    data: CleanedTestDataResponse,
  })
  async cleanUp(@CurrentAdmin() admin: AdminPrincipal): Promise<CleanedTestDataResponse> {
    return toResponse(CleanedTestDataResponse, await this.testData.deleteExpiredData(admin));
  }
}
