import { inLanguage } from './language.ts';

const T = inLanguage({
  custody: ['Custody', 'Verwahrung'],
  provider: ['Deposit provider', 'Einzahlungsanbieter'],
});

/** Where money is, such as `custody` or `deposit-provider/ERC20`; transfers name the deposit provider `crypto2b`. */
export function placeName(place: string): string {
  const [name, ...network] = place.split('/');
  if (name === 'custody') return [T.custody, ...network].join(', ');
  return name === 'deposit-provider' || name === 'crypto2b' ? [T.provider, ...network].join(', ') : place;
}
