import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../common/groups.js';
import { ChainClient, type ChainTransaction } from '../../providers/chain/chain.client.js';
import { toEvmHash } from '../../providers/chain/domain/transaction-hash.js';
import { isReadOnChain } from '../../funds/deposits/domain/networks.js';
import type { Evidence } from './domain/comparison.js';
import { assignTransfers, type Pair } from './domain/pairing.js';
type TransactionLookup = ChainTransaction | 'unknown' | 'unreachable';

/** Each hash costs three calls to the node. Hashes above the limit are reported as not read. */
const MAX_HASHES = 1_000;
const CONCURRENCY = 8;

/** Reads the transactions of pairs from the chain. Never called in a database transaction: the node can be slow. */
@Injectable()
export class ChainEvidenceService {
  constructor(private readonly chain: ChainClient) {}

  /**
   * Evidence for each pair whose hash the service can read on the chain. `doubtful` pairs, those whose sides differ, are read
   * first, so that the limit leaves out pairs that agree.
   */
  async getEvidence(pairs: readonly Pair[], doubtful: ReadonlySet<Pair>): Promise<Map<Pair, Evidence>> {
    const byHash = groupBy([...doubtful, ...pairs.filter((pair) => !doubtful.has(pair))], readableHash);
    const lookups = await this.lookUpHashes([...byHash.keys()].slice(0, MAX_HASHES));
    const evidence = new Map<Pair, Evidence>();
    for (const [hash, pairsOfHash] of byHash)
      for (const [pair, pairEvidence] of evidenceOf(lookups.get(hash), pairsOfHash))
        evidence.set(pair, pairEvidence);
    return evidence;
  }

  /** After a failed call no further hashes are looked up, as they would fail, too: they remain `unreachable`. */
  private async lookUpHashes(hashes: readonly string[]): Promise<Map<string, TransactionLookup>> {
    const lookups = new Map<string, TransactionLookup>(hashes.map((hash) => [hash, 'unreachable']));
    const queue = [...hashes].reverse(); // so that pop() returns hashes in their order
    let isReachable = true;
    const lookUpNext = async () => {
      for (let hash = queue.pop(); hash !== undefined && isReachable; hash = queue.pop()) {
        const lookup = await this.chain.transaction(hash).catch(() => 'unreachable' as const); // the client has logged the error
        if (lookup === 'unreachable') isReachable = false;
        else lookups.set(hash, lookup ?? 'unknown');
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lookUpNext));
    return lookups;
  }
}

/** The hash of a settled USDC movement on the chain that the service reads; undefined for any other pair. */
function readableHash({ line, records }: Pair): string | undefined {
  const movement = line ?? records[0];
  const hash = toEvmHash(line?.txHash ?? records[0]?.txHash ?? '');
  if (!movement || hash === undefined) return undefined;
  const isSettled = [line, ...records].some((side) => side?.status === 'settled');
  const network = movement.network ?? records[0]?.network ?? 'ERC20'; // a movement without a network may be on ERC20
  return isSettled && isReadOnChain(movement.currency, network) ? hash : undefined;
}

function evidenceOf(lookup: TransactionLookup | undefined, pairs: readonly Pair[]): [Pair, Evidence][] {
  if (lookup === undefined) return pairs.map((pair) => [pair, 'not-read']);
  if (lookup === 'unreachable') return pairs.map((pair) => [pair, 'unreachable']);
  if (lookup !== 'unknown' && lookup.succeeded === null) return pairs.map((pair) => [pair, 'pending']);
  // An unknown or failed transaction has moved nothing: the evidence is an amount of zero.
  const transfers = lookup !== 'unknown' && lookup.succeeded ? lookup.transfers : [];
  return [...assignTransfers(transfers, pairs)];
}
