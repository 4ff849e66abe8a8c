/** Networks whose addresses are `0x` and 40 hex digits. */
export const ADDRESS_NETWORKS = ['ERC20', 'BEP20'] as const;
export type AddressNetwork = (typeof ADDRESS_NETWORKS)[number];

export function isAddressNetwork(text: string): text is AddressNetwork {
  return (ADDRESS_NETWORKS as readonly string[]).includes(text);
}
