import { Money } from '../../../common/money.js';
import type { ChainClient } from '../../providers/chain/chain.client.js';
import { ChainEvidenceService } from './chain-evidence.service.js';
import type { Pair } from './domain/pairing.js';

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

/** A settled payment that only the statement contains. */
const pairWithoutRecord = (number: number): Pair => ({
  line: {
    line: number,
    reference: `P-${number}`,
    txHash: hashOf(number),
    network: 'ERC20',
    currency: 'USDC',
    direction: 'out',
    amount: Money.of('1'),
    at: new Date(),
    status: 'settled',
    address: null,
  },
  records: [],
});

describe('ChainEvidenceService', () => {
  it('looks up at most 1,000 transactions, preferring those of doubtful pairs, and marks other pairs as not read', async () => {
    const lookedUp: string[] = [];
    const transaction = async (hash: string) => {
      lookedUp.push(hash);
    };
    const service = new ChainEvidenceService({ transaction } as unknown as ChainClient);
    const pairs = Array.from({ length: 1250 }, (_, index) => pairWithoutRecord(index));
    const doubtful = pairs.slice(-10);
    const evidence = await service.getEvidence(pairs, new Set(doubtful));
    const expected = [...doubtful, ...pairs.slice(0, 990)]; // 10 + 990 = 1,000
    expect(lookedUp.sort()).toEqual(expected.map(({ line }) => line?.txHash).sort());
    expect(pairs.filter((pair) => evidence.get(pair) === 'not-read')).toEqual(pairs.slice(990, -10));
  });
});
