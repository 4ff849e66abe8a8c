// Of the chains that faucets are for.
const EXPLORERS: Record<number, string> = {
  11_155_111: 'https://sepolia.etherscan.io', // Sepolia
  560_048: 'https://hoodi.etherscan.io', // Hoodi
  84_532: 'https://sepolia.basescan.org', // Base Sepolia
};

/** Where people look a transaction up; null where nobody shows the chain. */
export function explorerUrl(chainId: number, txHash: string): string | null {
  const explorer = EXPLORERS[chainId];
  return explorer === undefined ? null : `${explorer}/tx/${txHash}`;
}
