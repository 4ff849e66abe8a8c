import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import {
  ChoiceInput,
  DateInput,
  FilterInput,
  FlagInput,
  FlagQuery,
  MoneyInput,
  PatternInput,
  TextInput,
  UuidInput,
  WalletAddressInput,
} from '../../http/validation/inputs.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { USER_STATUSES, type UserStatus } from '../users/user-status.js';

const VIEW = { optional: true, description: 'basic: the shorter variant' };

const EmailInput = (options: { optional?: 'never-null'; code?: ErrorCode; description?: string }) =>
  PatternInput(/^(?=.{3,320}$)[^\s@]{1,64}@[^\s@]{1,253}\.[^\s@.]{1,63}$/, 'must be an e-mail address', {
    example: 'ann@example.org',
    ...options,
  });

export class AdminUsersQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(USER_STATUSES)
  status?: UserStatus;

  @TextInput({
    optional: true,
    minLength: 0,
    maxLength: 320,
    description:
      'part of the e-mail, of the name or of a linked wallet address; with view=basic of the e-mail',
  })
  search?: string;

  @UuidInput({ optional: true, description: 'this user alone, whatever the page' })
  userId?: string;

  @UuidInput({ optional: true, description: 'another name of userId' })
  user_id?: string;

  @ChoiceInput(['createdAt', 'lastLoginAt', 'totalInvested'], { optional: true })
  sortBy: 'createdAt' | 'lastLoginAt' | 'totalInvested' = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'desc';

  @MoneyInput({ optional: true, description: 'totalInvested is at least this' })
  minInvestment?: string;

  @DateInput({
    optional: true,
    description: 'created at this instant or later; a date alone is its first instant',
  })
  registeredAfter?: string;

  @ChoiceInput(['basic'], VIEW)
  view?: 'basic';
}

export class AdminUserQuery {
  @ChoiceInput(['basic'], VIEW)
  view?: 'basic';
}

export class UserSearchQuery {
  @TextInput({ maxLength: 320, description: 'the whole address, or what is known of it' })
  email!: string;
}

export class CreateUserDto {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @EmailInput({})
  email!: string;

  @UuidInput({ optional: 'never-null', description: 'made when it is absent' })
  id?: string;

  @ChoiceInput(USER_STATUSES, { optional: 'never-null' })
  status: UserStatus = 'active';

  @WalletAddressInput({ optional: true, description: 'can sign in to the account from now on' })
  walletAddress?: string;
}

export class ChangeUserDto {
  @EmailInput({ optional: 'never-null', code: 'INVALID_EMAIL' })
  email?: string;

  @ChoiceInput(USER_STATUSES, { optional: 'never-null', code: 'INVALID_STATUS' })
  status?: UserStatus;

  @TextInput({
    optional: true,
    minLength: 0,
    description: 'of the status; a suspension needs one. The user is told',
  })
  reason?: string;

  @FlagInput({ optional: 'never-null', description: 'whether the user is told of a changed status' })
  notifyUser = true;
}

export class UnlinkWalletDto {
  @TextInput({ optional: true, minLength: 0, maxLength: 500, description: 'for the audit log' })
  reason?: string;
}

export class RemoveUserQuery {
  @FlagQuery({
    description: 'erase the account; possible only while nothing of money was ever recorded for it',
  })
  permanent = false;
}
