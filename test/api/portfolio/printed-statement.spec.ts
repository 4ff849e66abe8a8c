import { createHash } from 'node:crypto';
import { DAY_MS } from '../../../src/common/durations.js';
import { timeText } from '../../../src/common/message-texts.js';
import type { TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { readPdf } from '../../fixtures/pdf-reader.js';
import { DESTINATION, unknownHash, withdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/statement';
const HOSTILE = `<script>alert(1)</script>"><img src=x onerror='alert(2)'> & ${'\u202E'}x`;
/** As PDF and HTML show it: without the character U+202E, which reverses the text after it. */
const SHOWN = `<script>alert(1)</script>"><img src=x onerror='alert(2)'> & x`;
const ESCAPED =
  '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt; &amp; x';

interface Movement {
  date: string;
  description: string;
  amount: string;
  balance: string;
  reservedAmount: string;
  reservedBalance: string;
}

describe('A statement to print', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let txHash: string;

  // Ten movements: two deposits, an investment and the three of its closing, and two each of a cancelled and of a paid withdrawal.
  beforeAll(async () => {
    platform = await startPlatform({
      at: '2026-03-02T10:00:00.000Z',
      settings: { PLATFORM_NAME: 'Größe & <Söhne>', PLATFORM_ADDRESS: 'Straße 1, 1010 Wien, € zone' },
    });
    const withdrawals = await withdrawalSteps(platform);
    const investments = new InvestmentSteps(platform);
    ann = await platform.given.user().withBalance('1500.00');
    await platform.given.deposit(ann.id, '250.00');
    const investment = await investments.create(ann, '1000.00');
    investments.advanceDays(5);
    await platform.as(ann).delete(`/api/user/investments/${investment}`);
    const cancelled = (await withdrawals.request(ann, '50.00')).data.id;
    await withdrawals.cancel(cancelled, ann);
    const paid = (await withdrawals.request(ann, '80.00')).data.id;
    await withdrawals.take(paid);
    platform.clock.advance(DAY_MS);
    txHash = unknownHash();
    await withdrawals.complete(paid, txHash);
  });
  afterAll(() => platform?.stop());

  const fetchFile = (query: string, user = ann) =>
    fetch(`${platform.baseUrl}${PATH}?${query}`, { headers: { authorization: `Bearer ${user.token}` } });
  const readStatement = async (user = ann) => (await platform.as(user).get(PATH)).data;
  const readPdfOf = async (query = '', user = ann) =>
    readPdf(new Uint8Array(await (await fetchFile(`format=pdf&${query}`, user)).arrayBuffer()));
  const setProfile = (profile: object) => platform.as(ann).put('/api/user/profile', profile);

  describe('as HTML', () => {
    it('has the letterhead, the account, the balances and every movement with hash and address', async () => {
      const response = await fetchFile('format=html');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-disposition')).toBe(
        'inline; filename="statement-2026-02-07-2026-03-08.html"',
      );
      const html = await response.text();
      for (const text of ['Größe &amp; &lt;Söhne&gt;', 'Straße 1', '1010 Wien', '€ zone', ann.email, ann.id])
        expect(html).toContain(text);
      const { movements, opening, closing } = await readStatement();
      const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
        [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell),
      );
      expect(rows).toContainEqual([
        'Closing balances',
        'at the time of writing',
        closing.available,
        closing.reserved,
        closing.invested,
        closing.accruedEarnings,
      ]);
      expect(rows).toContainEqual([
        'Opening balances',
        'start of 2026-02-07',
        opening.available,
        opening.reserved,
        opening.invested,
        opening.accruedEarnings,
      ]);
      expect(movements).toHaveLength(10);
      for (const { date, description, ...amounts } of movements as Movement[])
        expect(rows).toContainEqual([
          timeText(new Date(date)),
          expect.stringContaining(description),
          amounts.amount,
          amounts.balance,
          amounts.reservedAmount,
          amounts.reservedBalance,
        ]);
      expect(html).toContain(`<small>Transaction ${txHash}</small><small>Paid to ${DESTINATION}</small>`);
    });

    it('loads nothing, runs no script, and has the only style that its policy permits', async () => {
      const response = await fetchFile('format=html');
      const html = await response.text();
      const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(response.headers.get('content-security-policy')).toBe(
        `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`,
      );
      expect(html).not.toMatch(/<script|<link|<img|<a |\sstyle=|\son\w+=/i);
    });

    it('escapes texts that users choose', async () => {
      await platform.dataSource.query('update platform_user set full_name = $2 where id = $1', [
        ann.id,
        HOSTILE,
      ]);
      const html = await (await fetchFile('format=html')).text();
      expect(html).toContain(ESCAPED);
      expect(html).not.toMatch(/<script|<img/i);
      expect((await readPdfOf()).pages[0]?.join(' ')).toContain(SHOWN);
    });

    it('says that there are no movements', async () => {
      const html = await (await fetchFile('format=html', await platform.given.user())).text();
      expect(html).toContain('No movements in this period.');
    });
  });

  describe('as PDF', () => {
    it('has the same ten movements on one page', async () => {
      const response = await fetchFile('format=pdf');
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('content-disposition')).toBe(
        'attachment; filename="statement-2026-02-07-2026-03-08.pdf"',
      );
      const { pages } = await readPdf(new Uint8Array(await response.arrayBuffer()));
      expect(pages).toHaveLength(1);
      const [lines = []] = pages;
      expect(lines.slice(0, 4)).toEqual(['Größe & <Söhne>', 'Straße 1', '1010 Wien', '€ zone']);
      const { movements, closing } = await readStatement();
      const shown = (movements as Movement[]).map(({ date, description, ...amounts }) =>
        [
          timeText(new Date(date)),
          description,
          amounts.amount,
          amounts.balance,
          amounts.reservedAmount,
          amounts.reservedBalance,
        ].join('|'),
      );
      expect(lines.filter((line) => shown.includes(line))).toEqual(shown);
      expect(lines).toContain(`Transaction ${txHash}`);
      expect(lines).toContain(`Paid to ${DESTINATION}`);
      expect(lines).toContain(
        [
          'Closing balances',
          'at the time of writing',
          closing.available,
          closing.reserved,
          closing.invested,
          closing.accruedEarnings,
        ].join('|'),
      );
      expect(lines.at(-1)).toBe('Statement of account · Page 1');
    });

    it('is tagged, and has a title and a language', async () => {
      const { title, language, isTagged, tags } = await readPdfOf();
      expect([title, language, isTagged]).toEqual(['Statement of account', 'en', true]);
      expect(tags.slice(0, 4)).toEqual(['Root', 'Document', 'P', 'P']);
      const { movements, growth } = await readStatement();
      const countOf = (tag: string) => tags.filter((each) => each === tag).length;
      expect([countOf('H1'), countOf('H2'), countOf('Table')]).toEqual([1, 3, 3]);
      // The titled columns of the balances (one of the six has no title), the movements and the growth.
      expect(countOf('TH')).toBe(5 + 6 + 3);
      expect(growth.length).toBeGreaterThan(0);
      // The titles of the three tables, two rows of balances, the movements, and the growth of the one strategy.
      expect(countOf('TR')).toBe(3 + 2 + movements.length + 1);
    });

    it('repeats the titles of the columns on further pages, which have numbers without a total', async () => {
      const bob = await platform.given.user();
      for (let count = 1; count <= 70; count++) await platform.given.deposit(bob.id, `${count}.00`);
      const { pages } = await readPdfOf('', bob);
      expect(pages.length).toBeGreaterThan(1);
      for (const [index, lines] of pages.entries())
        expect(lines.at(-1)).toBe(`Statement of account · Page ${index + 1}`);
      expect(pages[1]?.slice(0, 3).join()).toContain('Description');
      const deposits = pages.flat().filter((line) => /\|Deposit of /.test(line));
      expect(deposits.map((line) => line.split('|')[1])).toEqual(
        Array.from({ length: 70 }, (_, index) => `Deposit of ${index + 1}.00 USDC`),
      );
    });
  });

  it('is in the language of the user', async () => {
    await setProfile({ name: 'Änne Müller', language: 'de-AT' });
    const html = await (await fetchFile('format=html')).text();
    expect(html).toContain('<html lang="de">');
    const { pages, language, title } = await readPdfOf();
    expect([language, title]).toEqual(['de', 'Kontoauszug']);
    const text = pages.flat().join('\n');
    for (const expected of [
      'Kontoauszug',
      'Anfangssalden',
      'Endsalden',
      'Beschreibung',
      'Änne Müller',
      'Gezahlt an',
    ])
      expect([expected, html.includes(expected), text.includes(expected)]).toEqual([expected, true, true]);
    expect(text).toContain('Kontoauszug · Seite 1');
  });
});
