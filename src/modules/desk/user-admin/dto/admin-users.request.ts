import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsUUID, Matches } from 'class-validator';
import {
  BooleanFromText,
  DateInput,
  EmailInput,
  FilterInput,
  IfPresent,
  ListFormatInput,
  MoneyInput,
  TextLength,
  UUID_VERSIONS,
  WalletAddressInput,
  refusedAs,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import type { ErrorCode } from '../../../../common/errors/error-catalogue.js';
import { SCREENING_RESULTS, type ScreeningResult } from '../../../identity/screening/domain/verdict.js';
import { USER_STATUSES, type UserStatus } from '../../../identity/users/users.types.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import {
  CreatedAfterInput,
  CreatedBeforeInput,
  OrderByInput,
  SortByInput,
  UserIdInput,
} from '../../../../http/request/list-inputs.js';

export class AdminUsersQuery extends PageQuery {
  @FilterInput(USER_STATUSES)
  status?: UserStatus;

  @FilterInput(SCREENING_RESULTS, {
    description:
      'the newest verdict of screening; not_checked: there is none yet, or no provider is configured',
  })
  screening?: ScreeningResult;

  @ApiProperty({
    description:
      'part of the e-mail, of the name or of the address of a wallet, even one that was unlinked; with view=basic of the e-mail only',
  })
  @IsOptional()
  @TextLength(0, 320)
  search?: string;

  @UserIdInput('only this user; the page is ignored')
  userId?: string;

  @OtherNameOf('userId')
  @UserIdInput()
  user_id?: string;

  @SortByInput(['createdAt', 'lastLoginAt', 'totalInvested'])
  sortBy: 'createdAt' | 'lastLoginAt' | 'totalInvested' = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';

  @MoneyInput({ optional: true, description: 'totalInvested is at least this' })
  minInvestment?: string;

  @CreatedAfterInput()
  registeredAfter?: string;

  @OtherNameOf('registeredAfter')
  @DateInput({ optional: true })
  createdAfter?: string;

  @CreatedBeforeInput()
  createdBefore?: string;

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

  @EmailInput('of the user')
  email!: string;

  @ApiProperty({ description: 'generated if absent' })
  @IfPresent()
  @IsUUID(UUID_VERSIONS)
  id?: string;

  @ApiProperty({ description: 'suspended and inactive users cannot sign in' })
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
  @EmailInput('the new address', 'INVALID_EMAIL')
  email?: string;

  @ApiProperty({ description: 'suspended and inactive users cannot sign in' })
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

export class OptionalReasonRequest {
  @ApiProperty({ description: 'for the audit log' })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;
}

/** For a change of the access to an account. */
export class AccessReasonRequest {
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({ description: 'for the second admin and the audit log; of a lock also for the user' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be one line of 1 to 500 characters that are not all spaces'),
  )
  reason!: string;
}

export class ChangeTierRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @ApiProperty({ description: 'the id of a tier of LIMITS_FILE', example: 'standard' })
  @TextLength(1, 50)
  tier!: string;

  @ApiProperty({
    description: 'for the second admin and the audit log; without it the answer is REASON_REQUIRED',
    example: 'Her company has been verified',
  })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;
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
