import { Injectable, type CanActivate } from '@nestjs/common';
import { fail } from '../../common/errors/domain-error.js';
import { FaucetAccount } from './faucet-account.js';

/** Before anything is looked at: in production, and without an account to pay from, there is no faucet. */
@Injectable()
export class FaucetOpenGuard implements CanActivate {
  constructor(private readonly account: FaucetAccount) {}

  canActivate(): true {
    return this.account.isOpen ? true : fail('FAUCET_DISABLED');
  }
}
