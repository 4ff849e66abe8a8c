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
    // formulas of spreadsheets
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['+1', "'+1"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
  ])('writes the field %j as %j', (text, field) => expect(csvField(text)).toBe(field));

  it('ends a line with CR LF [SEC-040]', () => expect(csvRow(['a', '', 'b,c'])).toBe('a,,"b,c"\r\n'));
});
