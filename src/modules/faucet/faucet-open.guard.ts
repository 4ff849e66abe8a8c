import { Injectable, type CanActivate } from '@nestjs/common';
import { fail } from '../../common/errors/domain-error.js';
import { FaucetAccountClient } from './faucet-account.client.js';

/** Refuses every request in production and without an account that pays, before the request is validated. */
@Injectable()
export class FaucetOpenGuard implements CanActivate {
  constructor(private readonly account: FaucetAccountClient) {}

  canActivate(): true {
    return this.account.isOpen ? true : fail('FAUCET_DISABLED');
  }
}
