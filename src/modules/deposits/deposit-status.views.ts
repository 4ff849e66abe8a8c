import type { AppConfig } from '../../config/app-config.js';
import { Choice, Count, Flag, ListOf, MoneyText, TextList } from '../../http/openapi/fields.js';
import { ADDRESS_CURRENCIES, NETWORKS, requiredConfirmations, type Network } from './networks.js';

export const NETWORK_STATUSES = ['operational', 'delayed'] as const;

export class NetworkStatusView {
  @Choice(NETWORKS) network!: string;
  @Count({ example: 12 }) requiredConfirmations!: number;
  @MoneyText({ example: '500.00' }) minimumDeposit!: string;
  @Choice(NETWORK_STATUSES, {
    description:
      'delayed: what arrives is credited, but later, because the provider or the chain does not answer us',
  })
  status!: string;
}

export class DepositStatusView {
  @Flag({ description: 'Whether new deposit addresses can be had.' }) accepting!: boolean;
  @TextList({ description: 'What there are deposit addresses for.' }) currencies!: string[];
  @ListOf(() => NetworkStatusView) networks!: NetworkStatusView[];
}

/** Whether the parties that deposits depend on answered when they were last asked. */
export interface Answering {
  readonly provider: boolean;
  readonly chain: boolean;
}

export function depositStatusView(config: AppConfig, answering: Answering): DepositStatusView {
  const isPrompt = (network: Network): boolean =>
    answering.provider && (network !== 'ERC20' || answering.chain);
  return {
    accepting: answering.provider,
    currencies: [...ADDRESS_CURRENCIES],
    networks: NETWORKS.map((network) => ({
      network,
      requiredConfirmations: requiredConfirmations(config, network),
      minimumDeposit: config.MINIMUM_DEPOSIT.toWire(),
      status: isPrompt(network) ? 'operational' : 'delayed',
    })),
  };
}
