import { csvField, csvRow } from './csv.js';

describe('csvField and csvRow', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['-0.000001', '-0.000001'],
    ['1 - 1', '1 - 1'],
    ['-1000000.50', '-1000000.50'],
    ["O'Brien", "O'Brien"],
    // separators of some countries and programs, and spaces that some parsers trim
    ['a;=1+1@example.org', '"a;=1+1@example.org"'],
    ['a\t=1', '"a\t=1"'],
    ['a|b', '"a|b"'],
    ['a；b', '"a；b"'],
    ['a\u2028b', '"a\u2028b"'],
    ['a\vb', '"a\vb"'],
    [' a', '" a"'],
    ['a ', '"a "'],
    // formulas of spreadsheets
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['+1', "'+1"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-', "'-"],
    ['-1.', "'-1."],
    ['-1e5', "'-1e5"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['−1', "'−1"],
    [' =1+1', "' =1+1"],
    ['\u00a0=1', "'\u00a0=1"],
    ['\ufeff=1', "'\ufeff=1"],
    ['\u200b=1', "'\u200b=1"],
    ['\0=1', '"\'\0=1"'],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
  ])('writes the field %j as %j', (text, field) => expect(csvField(text)).toBe(field));

  it('ends a line with CR LF [SEC-040]', () => expect(csvRow(['a', '', 'b,c'])).toBe('a,,"b,c"\r\n'));
});
