import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsUUID, Matches } from 'class-validator';
import {
  BooleanFromText,
  DateInput,
  FilterInput,
  IfPresent,
  ListFormatInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  UUID_VERSIONS,
  WalletAddressInput,
  refusedAs,
  type ListFormat,
} from '../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { USER_STATUSES, type UserStatus } from '../../users/users.types.js';

const EmailInput = (code?: ErrorCode) =>
  applyDecorators(
    ApiProperty({ example: 'ann@example.org' }),
    Matches(
      /^(?=.{3,320}$)[^\s@\p{C}\u212a\u0130]{1,64}@[^\s@\p{C}\u212a\u0130]{1,253}\.[^\s@.\p{C}\u212a\u0130]{1,63}$/u,
      refusedAs(code, 'must be an e-mail address'),
    ),
  );

export class AdminUsersQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(USER_STATUSES)
  status?: UserStatus;

  @ApiProperty({
    description:
      'part of the e-mail, of the name or of the address of a wallet, even one that was unlinked; with view=basic of the e-mail only',
  })
  @IsOptional()
  @TextLength(0, 320)
  search?: string;

  @ApiProperty({ description: 'only this user; the page is ignored' })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  userId?: string;

  @ApiProperty({ description: 'another name of userId' })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  user_id?: string;

  @IsOptional()
  @IsIn(['createdAt', 'lastLoginAt', 'totalInvested'])
  sortBy: 'createdAt' | 'lastLoginAt' | 'totalInvested' = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'desc';

  @MoneyInput({ optional: true, description: 'totalInvested is at least this' })
  minInvestment?: string;

  @DateInput({
    optional: true,
    description: 'created at this instant or later; a date alone is its first instant',
  })
  registeredAfter?: string;

  @ApiProperty({ description: 'basic: the shorter variant' })
  @IsOptional()
  @IsIn(['basic'])
  view?: 'basic';

  @ListFormatInput()
  format: ListFormat = 'json';
}

export class AdminUserQuery {
  @ApiProperty({ description: 'basic: the shorter variant' })
  @IsOptional()
  @IsIn(['basic'])
  view?: 'basic';
}

export class UserSearchQuery {
  @ApiProperty({ description: 'an e-mail address or a part of one' })
  @TextLength(1, 320)
  email!: string;
}

export class CreateUserRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @EmailInput()
  email!: string;

  @ApiProperty({ description: 'generated if absent' })
  @IfPresent()
  @IsUUID(UUID_VERSIONS)
  id?: string;

  @IfPresent()
  @IsIn(USER_STATUSES)
  status: UserStatus = 'active';

  @WalletAddressInput({
    optional: true,
    description:
      'a wallet that is proposed for the account; it cannot sign in until the user links it with its signature',
  })
  walletAddress?: string;
}

export class ChangeUserRequest {
  @IfPresent()
  @EmailInput('INVALID_EMAIL')
  email?: string;

  @IfPresent()
  @IsIn(USER_STATUSES, refusedAs('INVALID_STATUS'))
  status?: UserStatus;

  @ApiProperty({
    description:
      'reason of the status, required for a suspension, which the user sees; or of the e-mail address, required with FOUR_EYES',
  })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;

  @ApiProperty({ description: 'whether the user is notified of a changed status' })
  @IfPresent()
  @IsBoolean()
  notifyUser = true;
}

export class UnlinkWalletRequest {
  @ApiProperty({ description: 'for the audit log' })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;
}

export class EndHoldRequest {
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({ description: 'why the user is safe, for the second admin and the audit log' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be one line of 1 to 500 characters that are not all spaces'),
  )
  reason!: string;
}

export class RemoveUserQuery {
  @ApiProperty({
    description: 'erase the account; possible only if no record of money refers to it',
  })
  @IsOptional()
  @BooleanFromText()
  @IsBoolean()
  permanent = false;
}
