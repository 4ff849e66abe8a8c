import { MICRO_SCALE } from '../../../common/money.js';
import {
  LinkedWalletResponse,
  UnlinkedWalletResponse,
  type WalletBalancesResponse,
  WalletBalanceResponse,
} from './dto/wallet.response.js';
import type { LinkedWallet, LinkedWalletWithBalances, UnlinkedWallet } from './wallets.types.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toLinkedWalletResponse(wallet: LinkedWallet): LinkedWalletResponse {
  return toResponse(LinkedWalletResponse, wallet, { linkedAt: wallet.createdAt });
}

export function toUnlinkedWalletResponse(wallet: UnlinkedWallet): UnlinkedWalletResponse {
  return toResponse(UnlinkedWalletResponse, wallet, { linkedAt: wallet.createdAt });
}

export function toWalletBalancesResponse(
  wallets: readonly LinkedWalletWithBalances[],
  networkId: number,
): WalletBalancesResponse {
  return {
    wallets: wallets.map((wallet) =>
      toResponse(WalletBalanceResponse, wallet, { networkId, eth: wallet.eth.roundDown(MICRO_SCALE) }),
    ),
  };
}
