import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import type { Answer } from '../../http/response/enveloped-response.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import {
  AdminUserQuery,
  AdminUsersQuery,
  ChangeUserDto,
  CreateUserDto,
  RemoveUserQuery,
  UnlinkWalletDto,
  UserSearchQuery,
} from './dto/admin-users.request.js';
import { UnlinkedWalletView, unlinkedWalletView } from '../wallets/dto/wallet.response.js';
import { RemovedUserView, removedUserView, UserWalletsView } from './dto/admin-users.response.js';
import { UserAdmin } from './user-admin.service.js';
import {
  ChangedUserView,
  changedUserView,
  CreatedUserView,
  createdUserView,
  ShortUserAnswerView,
  UserDetailView,
} from './dto/user-detail.response.js';
import { ListedUserView, ShortUserListView, UserListSummaryView, UserSearchView } from './dto/user-list.response.js';
import { UserReader } from './user-reader.js';

const Id = () => Param('id', new IdPipe('USER_NOT_FOUND'));

@ApiTags('Admin: users')
@Controller('api/admin/users')
export class AdminUsersController {
  constructor(
    private readonly users: UserAdmin,
    private readonly reader: UserReader,
  ) {}

  @Get()
  @AdminRoute('users:read', {
    summary: 'Users with their figures, and a summary of what the filter selects',
    data: [ListedUserView],
    variant: ShortUserListView,
    paged: true,
    totals: UserListSummaryView,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  list(@Query() query: AdminUsersQuery): Promise<Answer<ListedUserView[]> | ShortUserListView> {
    return query.view === 'basic' ? this.reader.shortList(query) : this.reader.list(query);
  }

  @Post()
  @AdminRoute('users:write', {
    summary: 'Create the account of an e-mail address; its owner uses it by signing in with that address',
    status: 201,
    data: CreatedUserView,
    errors: ['VALIDATION_ERROR'],
  })
  async create(@Body() body: CreateUserDto, @CurrentAdmin() admin: AdminPrincipal): Promise<CreatedUserView> {
    return createdUserView(await this.users.create(body, admin));
  }

  @Get('search')
  @AdminRoute('users:read', {
    summary: 'The user of an e-mail address, or addresses that are like it',
    data: UserSearchView,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  search(@Query() { email }: UserSearchQuery): Promise<UserSearchView> {
    return this.reader.search(email);
  }

  @Get(':id')
  @AdminRoute('users:read', {
    summary: 'One user with profile, figures, investments, recent activity and compliance',
    data: UserDetailView,
    variant: ShortUserAnswerView,
    errors: ['USER_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  detail(@Id() id: string, @Query() { view }: AdminUserQuery): Promise<UserDetailView | ShortUserAnswerView> {
    return view === 'basic' ? this.reader.shortDetail(id) : this.reader.detail(id);
  }

  @Put(':id')
  @AdminRoute('users:write', {
    summary: 'Change the status or the e-mail address; an absent field keeps its value',
    data: ChangedUserView,
    errors: ['INVALID_STATUS', 'REASON_REQUIRED', 'INVALID_EMAIL', 'VALIDATION_ERROR', 'USER_NOT_FOUND'],
  })
  async change(
    @Id() id: string,
    @Body() body: ChangeUserDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ChangedUserView> {
    return changedUserView(await this.users.change(id, body, admin), admin.email);
  }

  @Delete(':id')
  @AdminRoute('users:delete', {
    summary: 'Deactivate a user, or erase a user without records of money',
    data: RemovedUserView,
    errors: ['USER_NOT_FOUND', 'ACTIVE_INVESTMENTS_EXIST', 'INVALID_STATE', 'VALIDATION_ERROR'],
  })
  async remove(
    @Id() id: string,
    @Query() { permanent }: RemoveUserQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<RemovedUserView> {
    return removedUserView(await this.users.remove(id, permanent, admin));
  }

  @Get(':id/wallets')
  @AdminRoute('users:read', {
    summary: 'The wallets that a user signs in with, and those for their deposits',
    data: UserWalletsView,
    errors: ['USER_NOT_FOUND'],
  })
  wallets(@Id() id: string): Promise<UserWalletsView> {
    return this.reader.wallets(id);
  }

  @Delete(':id/wallets/:walletId')
  @AdminRoute('users:write', {
    summary:
      'Unlink a wallet from a user: it cannot sign in any more, and the sessions that it has opened end',
    data: UnlinkedWalletView,
    errors: ['USER_NOT_FOUND', 'WALLET_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async unlinkWallet(
    @Id() id: string,
    @Param('walletId', new IdPipe('WALLET_NOT_FOUND')) walletId: string,
    @Body() { reason }: UnlinkWalletDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<UnlinkedWalletView> {
    return unlinkedWalletView(await this.users.unlinkWallet(id, walletId, reason, admin));
  }
}
