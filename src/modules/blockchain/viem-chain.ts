import { Injectable, Logger } from '@nestjs/common';
import {
  createPublicClient,
  erc20Abi,
  formatEther,
  formatGwei,
  formatUnits,
  getAddress,
  http,
  isAddressEqual,
  parseEventLogs,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Hash,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../kernel/money.js';
import { Chain, type ChainTransaction, type TokenTransfer } from './chain.js';

const TIMEOUT_MS = 3000;
const RETRIES = 1;
const RETRY_DELAY_MS = 100;

/** The chain by JSON-RPC. Whatever the node does but answer is BLOCKCHAIN_ERROR. */
@Injectable()
export class ViemChain extends Chain {
  private readonly log = new Logger('Chain');
  private readonly client: PublicClient;
  private readonly usdc: `0x${string}`;

  constructor(config: AppConfig) {
    super();
    this.usdc = getAddress(config.USDC_CONTRACT_ADDRESS.toLowerCase());
    this.client = createPublicClient({
      transport: http(config.RPC_URL, {
        timeout: TIMEOUT_MS,
        retryCount: RETRIES,
        retryDelay: RETRY_DELAY_MS,
      }),
      cacheTime: 0,
    });
  }

  transaction(hash: string): Promise<ChainTransaction | undefined> {
    return this.answered(this.read(hash as Hash));
  }

  newestBlock(): Promise<number> {
    return this.answered(this.client.getBlockNumber({ cacheTime: 0 }).then(Number));
  }

  private async answered<Answer>(asked: Promise<Answer>): Promise<Answer> {
    try {
      return await asked;
    } catch (error) {
      this.log.warn({ msg: 'the node does not answer', err: error });
      return fail('BLOCKCHAIN_ERROR');
    }
  }

  private async read(hash: Hash): Promise<ChainTransaction | undefined> {
    const transaction = await this.client.getTransaction({ hash }).catch(unless(TransactionNotFoundError));
    if (!transaction) return undefined;
    const receipt = await this.client
      .getTransactionReceipt({ hash })
      .catch(unless(TransactionReceiptNotFoundError));
    const { from, to, value } = transaction;
    const ether =
      to && value > 0n
        ? { from: getAddress(from), to: getAddress(to), amount: Money.of(formatEther(value)) }
        : undefined;
    return { hash, ...(receipt ? await this.mined(receipt) : WAITING), ...(ether ? { ether } : {}) };
  }

  private async mined(receipt: TransactionReceipt): Promise<Omit<ChainTransaction, 'hash' | 'ether'>> {
    const head = await this.client.getBlockNumber({ cacheTime: 0 });
    const above = head > receipt.blockNumber ? head - receipt.blockNumber : 0n;
    return {
      succeeded: receipt.status === 'success',
      blockNumber: Number(receipt.blockNumber),
      confirmations: Number(above) + 1,
      gasUsed: receipt.gasUsed.toString(),
      gasPrice: formatGwei(receipt.effectiveGasPrice),
      transfers: this.transfersOf(receipt),
    };
  }

  private transfersOf({ logs }: TransactionReceipt): TokenTransfer[] {
    return logs.flatMap((entry, logIndex) => {
      if (!isAddressEqual(entry.address, this.usdc)) return [];
      return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: [entry] }).map(({ args }) => ({
        token: this.usdc,
        from: args.from,
        to: args.to,
        amount: Money.of(formatUnits(args.value, MICRO_SCALE)),
        logIndex,
      }));
    });
  }
}

/** In the pool: known, and nothing more. */
const WAITING = {
  succeeded: null,
  blockNumber: null,
  confirmations: 0,
  gasUsed: null,
  gasPrice: null,
  transfers: [],
} as const;

/** Turns the one error that means "there is none" into undefined. */
function unless(absent: abstract new (...args: never[]) => Error): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof absent) return undefined;
    throw error;
  };
}
