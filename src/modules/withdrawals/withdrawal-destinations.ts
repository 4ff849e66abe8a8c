import { Injectable } from '@nestjs/common';
import { getAddress, zeroAddress } from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { contractOf, DEPOSIT_CURRENCIES, NETWORKS } from '../deposits/domain/networks.js';

const MESSAGE = 'USDC sent to this address would not reach you. Name a wallet address of your own.';

/** Addresses that would lose the user's payment: the zero address, token contracts and addresses of the platform. */
@Injectable()
export class WithdrawalDestinations {
  private readonly refused: ReadonlySet<string>;

  constructor(config: AppConfig) {
    const contracts = NETWORKS.flatMap((network) =>
      DEPOSIT_CURRENCIES.map((currency) => contractOf(config, network, currency)),
    );
    const { CUSTODY_ADDRESS, CUSTODY_ADDRESSES, DEPOSIT_PROVIDER_ADDRESS } = config;
    const addresses = [
      ...contracts,
      CUSTODY_ADDRESS,
      ...CUSTODY_ADDRESSES,
      DEPOSIT_PROVIDER_ADDRESS,
      zeroAddress,
    ];
    this.refused = new Set(addresses.flatMap((address) => address?.toLowerCase() ?? []));
  }

  /** Throws INVALID_WALLET_ADDRESS for an address in whatever letters. */
  async requirePayable(tx: Tx, address: string): Promise<void> {
    if (this.refused.has(address.toLowerCase())) refuse();
    const [ours] = await tx.query<unknown[]>(
      prepared(`select from deposit_address where network in ('ERC20', 'BEP20') and address = $1 limit 1`),
      [getAddress(address.toLowerCase())], // as deposit addresses are stored
    );
    if (ours) refuse();
  }
}

function refuse(): never {
  fail('INVALID_WALLET_ADDRESS', [{ field: 'toAddress', message: MESSAGE }], { message: MESSAGE });
}
