import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import { treasuryMoved } from '../../src/modules/ledger/postings.js';
import type { TestPlatform } from './platform.js';

/** Posts a transfer from the deposit provider to custody, which withdrawals are paid from. */
export async function transferToCustody(platform: TestPlatform, amount: string): Promise<void> {
  const at = platform.clock.now();
  const transfer = treasuryMoved({ transferId: newId(), network: 'ERC20', amount: Money.of(amount), at });
  await platform.app.get(UnitOfWork).run((tx) => platform.app.get(Ledger).post(tx, transfer));
}
