import { LosslessNumber, stringify } from 'lossless-json';
import type { Network } from './deposit-addresses.js';
import { FINAL_AFTER } from './deposit-addresses.js';
import { readJson, writeJson } from './json-file.js';

export interface DepositAddress {
  id: number;
  address: string;
  currency: string;
  network: Network;
  /** The id of the user, which the platform sent in its request for the address. */
  foreignId: string;
}

export interface Deposit {
  id: number;
  addressId: number;
  /** Decimal string. */
  amount: string;
  hash: string;
  senderAddress: string;
  /** Domain time of the payment in ISO 8601. */
  date: string;
  /** Height of the node's chain at the payment. Its later blocks count as confirmations on all networks. */
  startBlock: number;
  confirmations: number;
  /** Number of callbacks about the deposit that were delivered or abandoned; sending continues there after a restart. */
  told: number;
}

interface Records {
  lastId: number;
  addresses: DepositAddress[];
  deposits: Deposit[];
}

export type DepositStatus = 'Pending' | 'Processing' | 'Success';

function statusAt(network: Network, confirmations: number): DepositStatus {
  if (confirmations === 0) return 'Pending';
  return confirmations < FINAL_AFTER[network] ? 'Processing' : 'Success';
}

/** The addresses and deposits of the deposit provider, stored in one JSON file. */
export class DepositRecords {
  private readonly records: Records;

  constructor(private readonly file: string) {
    this.records = readJson<Records>(file) ?? { lastId: 0, addresses: [], deposits: [] };
  }

  get deposits(): readonly Deposit[] {
    return this.records.deposits;
  }

  findAddressOfUser(
    wanted: Pick<DepositAddress, 'currency' | 'network' | 'foreignId'>,
  ): DepositAddress | undefined {
    return this.records.addresses.find(
      ({ currency, network, foreignId }) =>
        currency === wanted.currency && network === wanted.network && foreignId === wanted.foreignId,
    );
  }

  /** Compares EVM addresses without case, but not TRON addresses, whose case matters. */
  findAddressByText(text: string): DepositAddress | undefined {
    const isEvm = text.startsWith('0x');
    return this.records.addresses.find(({ address }) =>
      isEvm ? address.toLowerCase() === text.toLowerCase() : address === text,
    );
  }

  getAddress(id: number): DepositAddress {
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

/** A deposit in callbacks and responses of the provider. A callback can report fewer `confirmations` than the deposit has. */
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
      // Written as a JSON number with all digits, which a float would lose.
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

/** Serializes to JSON; each LosslessNumber keeps its digits. */
export function toJson(value: unknown): string {
  return stringify(value) ?? 'null';
}
