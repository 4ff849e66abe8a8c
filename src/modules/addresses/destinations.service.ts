import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { readTogether, type TransactionRead } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import { DepositAddressesService } from '../deposits/deposit-addresses.service.js';
import { failUnpayable, unpayableAddresses } from './domain/destination.js';

/** Refuses destinations at which a payment would be lost. */
@Injectable()
export class DestinationsService {
  private readonly unpayable: ReadonlySet<string>;

  constructor(
    config: AppConfig,
    private readonly depositAddresses: DepositAddressesService,
  ) {
    this.unpayable = unpayableAddresses(config);
  }

  /** Throws INVALID_WALLET_ADDRESS, with the name of the request's field in the details. */
  async requirePayable(tx: Tx, address: string, field: string): Promise<void> {
    await readTogether(tx, this.payableRead(address, field));
  }

  /** For `readTogether`: does what `requirePayable` does. */
  payableRead(address: string, field: string): TransactionRead<void> {
    const read = this.depositAddresses.depositAddressRead(address);
    return {
      ...read,
      toResult: (answer: never) => {
        if (this.unpayable.has(address.toLowerCase()) || read.toResult(answer)) failUnpayable(field);
      },
    };
  }
}
