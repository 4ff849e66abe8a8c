import fc from 'fast-check';
import { growth } from '../../../test/verification/load/growth.js';
import { requireStrictJson, StrictJsonError } from './strict-json.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('requireStrictJson', () => {
  it.each([
    ['a duplicate key', '{"amount":"1.00","amount":"2.00"}'],
    ['a duplicate key of which one is escaped [SEC-039]', '{"amount":"1.00","\\u0061mount":"2.00"}'],
    ['a duplicate key, deep inside', '{"a":[{"b":{"c":1,"d":2,"c":3}}]}'],
    ['a duplicate key, after another object', '{"a":1,"b":{"a":2},"a":3}'],
    ['a duplicate key, with space before the colon', '{"a" :1,"a"\n\t:2}'],
    ['__proto__', '{"__proto__":{"isAdmin":true}}'],
    ['__proto__, escaped', '{"\\u005f_proto__":{"isAdmin":true}}'],
    ['constructor', '{"a":{"constructor":{"prototype":{}}}}'],
    ['prototype', '{"prototype":1}'],
    ['toString', '{"toString":"x"}'],
    ['hasOwnProperty', '{"a":[{"hasOwnProperty":1}]}'],
    ['valueOf, escaped', '{"\\u0076alueOf":1}'],
    ['33 levels', nested(33)],
    ['very deep nesting', '['.repeat(50_000)],
    ['a NUL character', '{"a":"b\\u0000c"}'],
    ['a NUL character in a key', '{"a\\u0000":1}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a lone surrogate in a key', '{"\\udc00":1}'],
    ['a string that does not end', '{"a":"b'],
    ['a wrong escape', '{"a":"\\x"}'],
    ['a line break inside a string', '{"a":"b\nc"}'],
  ])('refuses %s [SEC-050]', (_, text) => {
    expect(() => requireStrictJson(text)).toThrow(StrictJsonError);
  });

  it.each([
    ['32 levels', nested(32)],
    ['one key in two objects', '[{"a":1},{"a":2}]'],
    ['a value that looks like a key', '{"a":"b","c":"b"}'],
    ['keys that differ in case', '{"a":1,"A":2}'],
    ['brackets inside strings', '{"a":"[[[{{{","b":"}}]]"}'],
    ['quotes inside strings', '{"a":"\\"b\\":","c":"\\\\"}'],
    ['forbidden keys as values', '{"a":"__proto__","b":["constructor"]}'],
    ['a surrogate pair', '{"a":"\\ud83d\\ude00"}'],
    ['a string on the top level', '"a"'],
  ])('accepts %s', (_, text) => {
    expect(() => requireStrictJson(text)).not.toThrow();
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('accepts the output of JSON.stringify for ordinary values', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
    const key = text.filter((value) => !(value in Object.prototype) && value !== 'prototype');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null)),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.nat(4), (anything, indent) => {
        expect(() => requireStrictJson(JSON.stringify(anything, null, indent))).not.toThrow();
      }),
    );
  });

  it('finds a duplicate key at any position', () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(), (names, which, where) => {
        const duplicated = [...names];
        duplicated.splice(where % (names.length + 1), 0, names[which % names.length] as string);
        const text = `{${duplicated.map((name) => `"${name}":{"x":[]}`).join(',')}}`;
        expect(() => requireStrictJson(text)).toThrow('a duplicate key');
      }),
    );
  });

  it('takes time proportional to the length of the text', () => {
    const escapes = (count: number) => requireStrictJson(`{"a":"${'\\\\'.repeat(count)}"}`);
    expect(growth(escapes, 10_000, 40)).toBeLessThan(400); // linear time gives 40, quadratic time 1,600
  });
});
