import type { AddressEntry } from './addresses.repository.js';
import type { AddressResponse } from './dto/address.response.js';

export function toAddressResponse(entry: AddressEntry): AddressResponse {
  return {
    id: entry.id,
    label: entry.label,
    address: entry.address,
    network: entry.network,
    usableFrom: entry.usableFrom.toISOString(),
    paidCount: entry.paidCount,
    createdAt: entry.createdAt.toISOString(),
  };
}
