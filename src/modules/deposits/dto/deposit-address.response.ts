import { Choice, Count, Flag, Instant, MoneyText, Text } from '../../../http/openapi/fields.js';
import { ADDRESS_CURRENCIES, NETWORKS } from '../domain/networks.js';

export class DepositAddressResponse {
  @Text({ example: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }) address!: string;
  @Choice(ADDRESS_CURRENCIES) currency!: string;
  @Choice(NETWORKS) network!: string;
  @Count({ example: 728126428 }) chainId!: number;
  @Text({ example: 'crypto2b' }) depositProviderName!: string;
  @Text() depositProviderAddressId!: string;
  @Flag({ description: 'Always true: the address belongs to the deposit provider.' }) isExternal!: boolean;
  @Text({ description: 'PNG data URL of the address.' }) qrCode!: string;
  @Text({ nullable: true, description: 'Contract of the token on that network.' }) contractAddress!:
    string | null;
  @MoneyText({ example: '500.00', description: 'Smaller deposits are held until more arrives.' })
  minimumDeposit!: string;
  @Count({ example: 20 }) estimatedConfirmations!: number;
  @Text({ nullable: true, description: 'Always null: none of the networks needs one.' }) memo!: string | null;
  @Instant({ nullable: true, description: 'Always null: an address never expires.' }) expiresAt!:
    string | null;
}
