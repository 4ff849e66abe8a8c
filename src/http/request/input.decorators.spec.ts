import { validateSync } from 'class-validator';
import { LineInput } from './input.decorators.js';

class Line {
  @LineInput({ maxLength: 20, example: 'Savings' })
  text!: unknown;
}
class TrimmedLine {
  @LineInput({ isTrimmed: true, example: 'Ann' })
  text!: unknown;
}
const isValid = (line: Line | TrimmedLine, text: unknown) =>
  validateSync(Object.assign(line, { text })).length === 0;

describe('A text on one line', () => {
  it.each(['a', ' a ', 'Büro 2', 'خزنة', 'כספת', '👩‍💻', '👍'.repeat(20), 'می‌خواهم'])('may be %j', (text) => {
    expect(isValid(new Line(), text)).toBe(true);
  });

  const control = ['\n', '\r', '\t', '\0', '\x1b', '\x85'];
  const separators = ['\u2028', '\u2029'];
  const bidirectional = [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];
  it.each([...control, ...separators, ...bidirectional])('cannot contain %j', (character) => {
    for (const text of [character, `${character}a`, `a${character}b`, `a${character}`])
      expect(isValid(new Line(), text)).toBe(false);
  });

  it.each(['', 'x'.repeat(21), 7, null, undefined, ['a']])('cannot be %j', (text) => {
    expect(isValid(new Line(), text)).toBe(false);
  });

  it('can be required to have no spaces around it', () => {
    for (const text of [' a', 'a ', ' ', '\u00a0a']) expect(isValid(new TrimmedLine(), text)).toBe(false);
    expect(isValid(new TrimmedLine(), 'a b')).toBe(true);
  });
});
