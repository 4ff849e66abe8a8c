import type { AppConfig } from '../../../config/app-config.js';
import { Money } from '../../../common/money.js';
import { toTransactionRequestResponse } from './treasury.mapper.js';
import type { TransactionRequestDetails } from './treasury.types.js';

const CUSTODY_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const SETTINGS: Partial<AppConfig> = {
  DEPOSIT_PROVIDER_NAME: 'crypto2b',
  CUSTODY_PROVIDER_NAME: 'custody',
  CUSTODY_ADDRESS,
};

const sweepOn = (network: string): TransactionRequestDetails => ({
  id: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  type: 'sweep',
  status: 'pending',
  amount: Money.of('250'),
  currency: 'USDC',
  network,
  strategyId: null,
  transactionId: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12',
  requestedBy: 'admin@example.com',
  assignedTo: null,
  completedBy: null,
  txHash: null,
  chainCheck: null,
  note: null,
  createdAt: new Date(0),
  completedAt: null,
});

describe('toTransactionRequestResponse', () => {
  it.each([
    ['names the configured address for a transfer over ERC20', 'ERC20', CUSTODY_ADDRESS],
    [
      'names no address for a transfer over TRC20, because the configured one is an ERC20 address',
      'TRC20',
      null,
    ],
  ])('%s', (_, network, toAddress) => {
    expect(toTransactionRequestResponse(sweepOn(network), SETTINGS as AppConfig)).toMatchObject({
      network,
      to: 'custody',
      toAddress,
    });
  });
});
