import type { Phrase } from '../../../../common/message-texts.js';

/** What transaction records and statements call the same movements of money. Records hold these texts in English. */
export const INVESTMENT_PHRASES = {
  investment: { en: 'Investment in {strategy}', de: 'Anlage in {strategy}' },
  growth: { en: 'Growth of {strategy}', de: 'Ertrag aus {strategy}' },
  loss: { en: 'Loss of {strategy}', de: 'Verlust aus {strategy}' },
} satisfies Record<string, Phrase>;
