import type { Phrase } from '../../../../common/message-texts.js';

/** Texts of movements of money, which transaction records and statements share. Records hold them in English. */
export const INVESTMENT_PHRASES = {
  investment: { en: 'Investment in {strategy}', de: 'Anlage in {strategy}' },
  growth: { en: 'Growth of {strategy}', de: 'Ertrag aus {strategy}' },
  loss: { en: 'Loss of {strategy}', de: 'Verlust aus {strategy}' },
} satisfies Record<string, Phrase>;
