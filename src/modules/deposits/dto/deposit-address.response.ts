import { toDataURL } from 'qrcode';
import type { AppConfig } from '../../../config/app-config.js';
import { Choice, Count, Flag, Instant, MoneyText, Text } from '../../../http/openapi/fields.js';
import type { DepositAddress } from '../entities/deposit-address.entity.js';
import { ADDRESS_CURRENCIES, chainIdOf, contractOf, NETWORKS, requiredConfirmations } from '../networks.js';

export class DepositAddressResponse {
  @Text({ example: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }) address!: string;
  @Choice(ADDRESS_CURRENCIES) currency!: string;
  @Choice(NETWORKS) network!: string;
  @Count({ example: 728126428 }) chainId!: number;
  @Text({ example: 'crypto2b' }) depositProviderName!: string;
  @Text() depositProviderAddressId!: string;
  @Flag({ description: "Always true: the address is the deposit provider's." }) isExternal!: boolean;
  @Text({ description: 'PNG data URL of the address.' }) qrCode!: string;
  @Text({ nullable: true, description: 'Contract of the token on that network.' }) contractAddress!:
    string | null;
  @MoneyText({ example: '500.00', description: 'Less is held until more arrives.' }) minimumDeposit!: string;
  @Count({ example: 20 }) estimatedConfirmations!: number;
  @Text({ nullable: true, description: 'Always null: no network here needs one.' }) memo!: string | null;
  @Instant({ nullable: true, description: 'Always null: an address is kept for good.' }) expiresAt!:
    string | null;
}

export async function toDepositAddressResponse(
  row: DepositAddress,
  config: AppConfig,
): Promise<DepositAddressResponse> {
  return {
    address: row.address,
    currency: row.currency,
    network: row.network,
    chainId: chainIdOf(config, row.network),
    depositProviderName: config.DEPOSIT_PROVIDER_NAME,
    depositProviderAddressId: row.providerAddressId,
    isExternal: true,
    qrCode: await toDataURL(row.address, { margin: 2, scale: 4 }), // a few milliseconds: not worth storing
    contractAddress: contractOf(config, row.network, row.currency),
    minimumDeposit: config.MINIMUM_DEPOSIT.toWire(),
    estimatedConfirmations: requiredConfirmations(config, row.network),
    memo: null,
    expiresAt: null,
  };
}
