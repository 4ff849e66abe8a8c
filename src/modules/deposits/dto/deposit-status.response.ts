import { Choice, Count, Flag, ListOf, MoneyText, TextList } from '../../../http/openapi/fields.js';
import { NETWORK_STATUSES, NETWORKS } from '../domain/networks.js';

export class NetworkStatusResponse {
  @Choice(NETWORKS) network!: string;
  @Count({ example: 12 }) requiredConfirmations!: number;
  @MoneyText({ example: '500.00' }) minimumDeposit!: string;
  @Choice(NETWORK_STATUSES, {
    description:
      'delayed: deposits are credited later, because the provider or the chain does not answer; unknown: no poll has ended yet',
  })
  status!: string;
}

export class DepositStatusResponse {
  @Flag({ description: 'False if the deposit provider did not answer the last poll.' })
  accepting!: boolean;
  @TextList({ description: 'Currencies that deposit addresses exist for.' }) currencies!: string[];
  @ListOf(() => NetworkStatusResponse) networks!: NetworkStatusResponse[];
}
