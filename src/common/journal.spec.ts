import { journalComment, journalText } from './journal.js';

describe('A transaction in a journal', () => {
  it('has a line for each account, with the balance to verify', () => {
    const text = journalText({
      day: '2026-03-05',
      code: '17',
      description: 'Investment in balanced-10',
      comment: 'investment 0198',
      lines: [
        { account: 'assets:available', amount: '-5.00', commodity: 'USDC', balance: '2.00' },
        { account: 'assets:invested', amount: '5.00', commodity: 'UNIT:balanced-10' },
      ],
    });
    expect(text).toBe(
      [
        '2026-03-05 * (17) Investment in balanced-10',
        '    ; investment 0198',
        '    assets:available  -5.00 USDC = 2.00 USDC',
        '    assets:invested  5.00 "UNIT:balanced-10"',
        '',
        '',
      ].join('\n'),
    );
  });

  it('contains a space in place of characters that would begin a comment, a note or a new line', () => {
    const text = journalText({ day: '2026-03-05', description: 'a;b|c\nd', lines: [] });
    expect(text).toBe('2026-03-05 * a b c d\n\n');
    expect(journalComment('a\r\n2026-03-05 b')).toBe('; a 2026-03-05 b');
  });

  it.each([
    ['(x) y', undefined, '() (x) y'],
    [';(x', undefined, '()  (x'],
    ['(x) y', '17', '(17) (x) y'],
    ['y (x)', undefined, 'y (x)'],
  ])('keeps the description %p apart from the code %p', (description, code, head) => {
    const text = journalText({
      day: '2026-03-05',
      ...(code === undefined ? {} : { code }),
      description,
      lines: [],
    });
    expect(text).toBe(`2026-03-05 * ${head}\n\n`);
  });
});
