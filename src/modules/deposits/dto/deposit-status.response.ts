import type { AppConfig } from '../../../config/app-config.js';
import { Choice, Count, Flag, ListOf, MoneyText, TextList } from '../../../http/openapi/fields.js';
import { ADDRESS_CURRENCIES, NETWORKS, requiredConfirmations, type Network } from '../networks.js';

export const NETWORK_STATUSES = ['operational', 'delayed', 'unknown'] as const;

export class NetworkStatusResponse {
  @Choice(NETWORKS) network!: string;
  @Count({ example: 12 }) requiredConfirmations!: number;
  @MoneyText({ example: '500.00' }) minimumDeposit!: string;
  @Choice(NETWORK_STATUSES, {
    description:
      'delayed: what arrives is credited, but later, because the provider or the chain does not answer us; unknown: nothing was asked yet',
  })
  status!: string;
}

export class DepositStatusResponse {
  @Flag({ description: 'False when the provider of deposit addresses did not answer the last poll.' })
  accepting!: boolean;
  @TextList({ description: 'What there are deposit addresses for.' }) currencies!: string[];
  @ListOf(() => NetworkStatusResponse) networks!: NetworkStatusResponse[];
}

/** Whether the parties that deposits depend on answered when they were last asked; null if that is not known. */
export interface Answering {
  readonly provider: boolean | null;
  readonly chain: boolean | null;
}

/** The status of a network whose deposits depend on these parties. */
export function networkStatusOf(answers: readonly (boolean | null)[]): (typeof NETWORK_STATUSES)[number] {
  if (answers.includes(false)) return 'delayed';
  return answers.includes(null) ? 'unknown' : 'operational';
}

export function toDepositStatusResponse(config: AppConfig, answering: Answering): DepositStatusResponse {
  const partiesOf = (network: Network) =>
    network === 'ERC20' ? [answering.provider, answering.chain] : [answering.provider];
  return {
    accepting: answering.provider !== false,
    currencies: [...ADDRESS_CURRENCIES],
    networks: NETWORKS.map((network) => ({
      network,
      requiredConfirmations: requiredConfirmations(config, network),
      minimumDeposit: config.MINIMUM_DEPOSIT.toWire(),
      status: networkStatusOf(partiesOf(network)),
    })),
  };
}
