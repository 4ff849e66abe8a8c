import { LosslessNumber, stringify } from 'lossless-json';
import type { Network } from './deposit-addresses.js';
import { FINAL_AFTER } from './deposit-addresses.js';
import { readJson, writeJson } from './json-file.js';

export interface DepositAddress {
  id: number;
  address: string;
  currency: string;
  network: Network;
  foreignId: string;
}

export interface Deposit {
  id: number;
  addressId: number;
  /** Decimal string. */
  amount: string;
  hash: string;
  senderAddress: string;
  date: string;
  /** The height of the chain at the payment. All networks use the same chain's blocks. */
  startBlock: number;
  confirmations: number;
  /** The number of callbacks that are finished, delivered or given up. */
  told: number;
}

interface Records {
  lastId: number;
  addresses: DepositAddress[];
  deposits: Deposit[];
}

export type Status = 'Pending' | 'Processing' | 'Success';

function statusAt(network: Network, confirmations: number): Status {
  if (confirmations === 0) return 'Pending';
  return confirmations < FINAL_AFTER[network] ? 'Processing' : 'Success';
}

/** The provider's records, in one file. */
export class DepositRecords {
  private readonly records: Records;

  constructor(private readonly file: string) {
    this.records = readJson<Records>(file) ?? { lastId: 0, addresses: [], deposits: [] };
  }

  get deposits(): readonly Deposit[] {
    return this.records.deposits;
  }

  /** The address of a client's id, currency and network; created on first use. */
  findAddress(
    wanted: Pick<DepositAddress, 'currency' | 'network' | 'foreignId'>,
  ): DepositAddress | undefined {
    return this.records.addresses.find(
      ({ currency, network, foreignId }) =>
        currency === wanted.currency && network === wanted.network && foreignId === wanted.foreignId,
    );
  }

  /** EVM addresses are not case-sensitive; TRON addresses are. */
  addressOf(text: string): DepositAddress | undefined {
    const isEvm = text.startsWith('0x');
    return this.records.addresses.find(({ address }) =>
      isEvm ? address.toLowerCase() === text.toLowerCase() : address === text,
    );
  }

  addressById(id: number): DepositAddress {
    const address = this.records.addresses.find((candidate) => candidate.id === id);
    if (!address) throw new Error(`No deposit address ${id} in ${this.file}.`);
    return address;
  }

  addAddress(address: Omit<DepositAddress, 'id'>): DepositAddress {
    const added = { id: this.nextId(), ...address };
    this.records.addresses.push(added);
    this.save();
    return added;
  }

  addDeposit(deposit: Omit<Deposit, 'id'>): Deposit {
    const added = { id: this.nextId(), ...deposit };
    this.records.deposits.push(added);
    this.save();
    return added;
  }

  save(): void {
    writeJson(this.file, this.records);
  }

  private nextId(): number {
    this.records.lastId += 1;
    return this.records.lastId;
  }
}

/** A deposit as the provider sends it in callbacks and responses. */
export function toDepositResponse(
  deposit: Deposit,
  address: DepositAddress,
  confirmations = deposit.confirmations,
) {
  return {
    type: 'Deposit',
    id: deposit.id,
    status: statusAt(address.network, confirmations),
    date: deposit.date,
    clientDepositId: null,
    error: null,
    instrument: instrumentOf(address),
    address: {
      address: address.address,
      tag: null,
      foreignId: address.foreignId,
      senderAddress: deposit.senderAddress,
    },
    transaction: {
      approach: 'FullProcessing',
      hash: deposit.hash,
      // A JSON number with the original digits, without conversion to a float.
      amount: new LosslessNumber(deposit.amount),
      confirmations,
      amlRiskGrade: 'Low',
    },
    fees: [],
  };
}

export function instrumentOf(address: Pick<DepositAddress, 'currency' | 'network'>) {
  return { currencyShortName: address.currency, transportProtocol: address.network.toLowerCase() };
}

/** JSON text in which LosslessNumbers keep their digits. */
export function toJson(value: unknown): string {
  return stringify(value) ?? 'null';
}
