import { Injectable } from '@nestjs/common';
import { Money } from '../../common/money.js';
import { ChainClient, type ChainTransaction, type TokenTransfer } from '../blockchain/chain.client.js';
import { isEvmHash, isReadOnChain } from '../deposits/domain/networks.js';
import { figureOf, type Pair } from './pairing.js';

/** What the chain shows of a pair: an amount, or why there is none. */
export type Evidence = Money | 'pending' | 'unreachable' | 'not-read';

type Sighting = ChainTransaction | 'unknown' | 'unreachable';

/** Three questions to the node each. What is beyond is said to be not read. */
const MOST_HASHES = 1_000;
const AT_ONCE = 8;

/** Asks the chain about what is compared, never while a database transaction is open. */
@Injectable()
export class ChainEvidence {
  constructor(private readonly chain: ChainClient) {}

  /** Of the pairs that the chain knows of. Those in `doubtful` are read first. */
  async of(pairs: readonly Pair[], doubtful: ReadonlySet<Pair>): Promise<Map<Pair, Evidence>> {
    const byHash = new Map<string, Pair[]>();
    for (const pair of [...doubtful, ...pairs.filter((one) => !doubtful.has(one))]) {
      const hash = readableHash(pair);
      if (hash === null) continue;
      const those = byHash.get(hash);
      if (those) those.push(pair);
      else byHash.set(hash, [pair]);
    }
    const sightings = await this.look([...byHash.keys()].slice(0, MOST_HASHES));
    const evidence = new Map<Pair, Evidence>();
    for (const [hash, those] of byHash) {
      for (const [pair, shown] of evidenceOf(sightings.get(hash), those)) evidence.set(pair, shown);
    }
    return evidence;
  }

  /** A node that has not answered once is left alone. */
  private async look(hashes: readonly string[]): Promise<Map<string, Sighting>> {
    const sightings = new Map<string, Sighting>(hashes.map((hash) => [hash, 'unreachable']));
    const queue = [...hashes].reverse();
    let answers = true;
    const ask = async () => {
      for (let hash = queue.pop(); hash !== undefined && answers; hash = queue.pop()) {
        const found = await this.chain.transaction(hash).catch(() => 'unreachable' as const); // logged there
        if (found === 'unreachable') answers = false;
        else sightings.set(hash, found ?? 'unknown');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    return sightings;
  }
}

/** USDC on the chain that we read, if a side says that it has moved. */
function readableHash({ line, records }: Pair): string | null {
  const one = line ?? records[0];
  const hash = line?.txHash ?? records[0]?.txHash ?? null;
  if (!one || hash === null || !isEvmHash(hash)) return null;
  const hasMoved = [line, ...records].some((side) => side?.status === 'settled');
  return hasMoved && isReadOnChain(one.currency, one.network ?? records[0]?.network ?? 'ERC20') ? hash : null;
}

function evidenceOf(sighting: Sighting | undefined, pairs: readonly Pair[]): [Pair, Evidence][] {
  if (sighting === undefined) return pairs.map((pair) => [pair, 'not-read']);
  if (sighting === 'unreachable') return pairs.map((pair) => [pair, 'unreachable']);
  if (sighting !== 'unknown' && sighting.succeeded === null) return pairs.map((pair) => [pair, 'pending']);
  const transfers = sighting !== 'unknown' && sighting.succeeded ? sighting.transfers : [];
  return [...sharesOf(transfers, pairs)];
}

/** What a side says that the transaction pays. */
interface Claim {
  readonly pair: Pair;
  readonly address: string | null;
  readonly amount: Money;
  readonly logIndex: number | null;
}

/** Gives each transfer of a transaction to one pair at most, so that no two are proven by the same money. */
export function sharesOf(transfers: readonly TokenTransfer[], pairs: readonly Pair[]): Map<Pair, Money> {
  const shares = new Map(pairs.map((pair) => [pair, Money.ZERO]));
  const left = new Set(transfers);
  const give = (claim: Claim, taken: readonly TokenTransfer[]): boolean => {
    const paid = Money.sum(taken.map(({ amount }) => amount));
    for (const transfer of taken) left.delete(transfer);
    shares.set(claim.pair, (shares.get(claim.pair) ?? Money.ZERO).plus(paid));
    return taken.length > 0;
  };
  const fitting = (claim: Claim) => [...left].filter((transfer) => goesTo(transfer, claim.address));
  const first = (those: TokenTransfer[]) => those.slice(0, 1);

  const [known, unknown] = [true, false].map((isKnown) =>
    pairs.filter(({ records }) => records.length > 0 === isKnown),
  ) as [Pair[], Pair[]];
  let claims = [...known, ...unknown].flatMap(claimsOf);
  const pass = (taken: (claim: Claim) => TokenTransfer[]) => {
    claims = claims.filter((claim) => !give(claim, taken(claim)));
  };
  pass((claim) => fitting(claim).filter(({ logIndex }) => logIndex === claim.logIndex));
  const exact = (claim: Claim) => first(fitting(claim).filter(({ amount }) => amount.equals(claim.amount)));
  pass((claim) => (claim.address === null ? [] : exact(claim)));
  pass(exact);
  pass(fitting); // one transfer for several of the same address, or another amount than was said
  return shares;
}

function goesTo({ to }: TokenTransfer, address: string | null): boolean {
  return address === null || to.toLowerCase() === address.toLowerCase();
}

function claimsOf(pair: Pair): Claim[] {
  const { line, records } = pair;
  if (records.length === 0 && line)
    return [{ pair, address: line.address, amount: line.amount, logIndex: null }];
  return records.map((record) => ({
    pair,
    address: record.address,
    amount: figureOf(record),
    logIndex: record.logIndex,
  }));
}
