import { Body, Controller, Delete, Get, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { toEndedSessionsResponse } from '../../identity/auth/auth.mapper.js';
import { EndedSessionsResponse } from '../../identity/auth/dto/auth.response.js';
import { UnlinkedWalletResponse } from '../../identity/wallets/dto/wallet.response.js';
import { toUnlinkedWalletResponse } from '../../identity/wallets/wallets.mapper.js';
import {
  AdminUserQuery,
  AdminUsersQuery,
  ChangeUserRequest,
  CreateUserRequest,
  OptionalReasonRequest,
  RemoveUserQuery,
  UserSearchQuery,
} from './dto/admin-users.request.js';
import {
  AdminSelfResponse,
  CleanedTestDataResponse,
  DeletedTestDataResponse,
  RemovedUserResponse,
  UserWalletsResponse,
} from './dto/admin-users.response.js';
import {
  ChangedUserResponse,
  CreatedUserResponse,
  ListedUserResponse,
  ShortUserAnswerResponse,
  ShortUserListResponse,
  UserDetailResponse,
  UserListSummaryResponse,
  UserSearchResponse,
} from './dto/user.response.js';
import { TestDataService } from './test-data.service.js';
import {
  toAdminSelfResponse,
  toChangedUserResponse,
  toCreatedUserResponse,
  toListedUserResponse,
  toRemovedUserResponse,
  toShortUserAnswerResponse,
  toShortUserListResponse,
  toUserDetailResponse,
  toUserListEnvelope,
  toUserSearchResponse,
  toUserWalletsResponse,
} from './user-admin.mapper.js';
import { UserAdminService } from './user-admin.service.js';
import { UserDirectoryService } from './user-directory.service.js';

const Id = () => IdParam('user', 'USER_NOT_FOUND');

@ApiTags('Admin: users')
@Controller('api/admin/users')
export class AdminUsersController {
  constructor(
    private readonly users: UserAdminService,
    private readonly directory: UserDirectoryService,
    private readonly config: AppConfig,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @AdminRoute('users:read', {
    summary: 'Users with their figures, and a summary of what the filter selects',
    data: [ListedUserResponse],
    variant: ShortUserListResponse,
    paged: true,
    csv: true,
    summaryResponse: UserListSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminUsersQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<ListedUserResponse[]> | ShortUserListResponse | RawResponse> {
    if (query.format === 'csv')
      return streamCsv({
        fileName: 'users.csv',
        model: ListedUserResponse,
        batches: await this.directory.exportUsers(query, admin),
        toItem: toListedUserResponse,
      });
    return query.view === 'basic'
      ? toShortUserListResponse(await this.directory.listWithoutTotals(query))
      : toUserListEnvelope(await this.directory.listWithTotals(query));
  }

  @Post()
  @AdminRoute('users:write', {
    summary: 'Create the account of an e-mail address; its owner uses it by signing in with that address',
    status: 201,
    data: CreatedUserResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async create(
    @Body() body: CreateUserRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<CreatedUserResponse> {
    return toCreatedUserResponse(await this.users.create(body, admin));
  }

  @Get('search')
  @AdminRoute('users:read', {
    operationId: 'searchUsers',
    summary: 'The user with an e-mail address, or up to ten similar addresses',
    data: UserSearchResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async search(@Query() { email }: UserSearchQuery): Promise<UserSearchResponse> {
    return toUserSearchResponse(await this.directory.search(email));
  }

  @Get(':id')
  @AdminRoute('users:read', {
    summary: 'One user with profile, figures, investments, recent activity and compliance',
    data: UserDetailResponse,
    variant: ShortUserAnswerResponse,
    errors: ['USER_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async detail(
    @Id() id: string,
    @Query() { view }: AdminUserQuery,
  ): Promise<UserDetailResponse | ShortUserAnswerResponse> {
    return view === 'basic'
      ? toShortUserAnswerResponse(await this.directory.getAccount(id))
      : toUserDetailResponse(await this.directory.getDetail(id), this.config);
  }

  @Put(':id')
  @AdminRoute('users:write', {
    summary:
      'Change the status, or request another e-mail address, which a second admin approves; an absent field keeps its value',
    data: ChangedUserResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [
      'INVALID_STATUS',
      'REASON_REQUIRED',
      'INVALID_EMAIL',
      'VALIDATION_ERROR',
      'USER_NOT_FOUND',
      'INVALID_STATE',
    ],
  })
  async change(
    @Id() id: string,
    @Body() body: ChangeUserRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChangedUserResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'user.email-change');
    return toChangeResponse(response, await this.users.change(id, body, admin, check), (account) =>
      toChangedUserResponse(account, admin.email, this.config),
    );
  }

  @Delete(':id')
  @AdminRoute('users:delete', {
    summary: 'Deactivate a user, or erase a user without records of money',
    data: RemovedUserResponse,
    errors: ['USER_NOT_FOUND', 'ACTIVE_INVESTMENTS_EXIST', 'INVALID_STATE', 'VALIDATION_ERROR'],
  })
  async remove(
    @Id() id: string,
    @Query() { permanent }: RemoveUserQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<RemovedUserResponse> {
    return toRemovedUserResponse(await this.users.remove(id, permanent, admin));
  }

  @Get(':id/wallets')
  @AdminRoute('users:read', {
    operationId: 'listUserWallets',
    summary: 'The wallets that a user signs in with, and those for their deposits',
    data: UserWalletsResponse,
    errors: ['USER_NOT_FOUND'],
  })
  async wallets(@Id() id: string): Promise<UserWalletsResponse> {
    return toUserWalletsResponse(await this.directory.getWallets(id), this.config);
  }

  @Delete(':id/sessions')
  @AdminRoute('users:write', {
    operationId: 'endUserSessions',
    summary: 'End all sessions of a user: no access token or refresh token is valid any more',
    data: EndedSessionsResponse,
    errors: ['USER_NOT_FOUND'],
  })
  async endSessions(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<EndedSessionsResponse> {
    return toEndedSessionsResponse(await this.users.endSessions(id, admin));
  }

  @Delete(':id/wallets/:walletId')
  @AdminRoute('users:write', {
    operationId: 'unlinkUserWallet',
    summary:
      'Unlink a wallet from a user: it cannot sign in any more, and the sessions that it has opened end',
    data: UnlinkedWalletResponse,
    errors: ['USER_NOT_FOUND', 'WALLET_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async unlinkWallet(
    @Id() id: string,
    @IdParam('wallet', 'WALLET_NOT_FOUND', { name: 'walletId' }) walletId: string,
    @Body() { reason }: OptionalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<UnlinkedWalletResponse> {
    return toUnlinkedWalletResponse(await this.users.unlinkWallet(id, walletId, reason, admin));
  }
}

@ApiTags('Admin: users')
@Controller('api/admin/profile')
export class AdminProfileController {
  constructor(private readonly admins: AdminDirectoryService) {}

  @Get()
  @AdminRoute(null, {
    summary: 'The signed-in admin as the configuration lists them',
    data: AdminSelfResponse,
  })
  profile(@CurrentAdmin() { id }: AdminPrincipal): AdminSelfResponse {
    return toAdminSelfResponse(this.admins.getAdmin(id));
  }
}

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
