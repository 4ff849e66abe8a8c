import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';

/** Who holds tokens for the platform, and where they take USDC on the chain that the service reads. */
export interface Provider {
  readonly name: string;
  readonly address: string | undefined;
}

@Injectable()
export class Providers {
  readonly depositProvider: Provider;
  readonly custody: Provider;

  constructor(config: AppConfig) {
    this.depositProvider = { name: config.DEPOSIT_PROVIDER_NAME, address: config.DEPOSIT_PROVIDER_ADDRESS };
    this.custody = { name: config.CUSTODY_PROVIDER_NAME, address: config.CUSTODY_ADDRESS };
  }
}
