import { languageOf, moneyText, phraseText, timeText, translatedText } from './message-texts.js';
import { Money } from './money.js';

describe('Texts of messages', () => {
  it.each([
    ['de', 'de'],
    ['de-CH', 'de'],
    ['DE-at', 'de'],
    ['en', 'en'],
    ['fr', 'en'],
    ['den', 'en'],
    ['', 'en'],
  ])('for the language tag %j are in the language %s', (tag, language) => {
    expect(languageOf(tag)).toBe(language);
  });

  it('have amounts with two to six decimals, rounded down, and their unit', () => {
    expect(moneyText(Money.of('10000'))).toBe('10000.00 USDC');
    expect(moneyText(Money.of('0.123456789'), 'ETH')).toBe('0.123456 ETH');
  });

  it('are translated by the phrase that they were made of', () => {
    const phrases = [
      { en: 'Paid (by {payer})', de: 'Bezahlt (von {payer})' },
      { en: 'Paid', de: 'Bezahlt' },
    ];
    const [phrase] = phrases as [(typeof phrases)[0]];
    const text = phraseText(phrase, 'en', { payer: 'A. (x) {payer}\n$1' });
    expect(translatedText(text, 'de', phrases)).toBe('Bezahlt (von A. (x) {payer}\n$1)');
    expect(translatedText(text, 'en', phrases)).toBe(text);
    expect(translatedText('Paid', 'de', phrases)).toBe('Bezahlt');
    expect(translatedText('Paid by hand', 'de', phrases)).toBe('Paid by hand');
  });

  it('have times in UTC to the minute', () => {
    expect(timeText(new Date('2026-03-02T10:05:59.999Z'))).toBe('2026-03-02 10:05 UTC');
  });
});
