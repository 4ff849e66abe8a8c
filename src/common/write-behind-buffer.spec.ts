import { WriteBehindBuffer } from './write-behind-buffer.js';

describe('WriteBehindBuffer', () => {
  it('keeps the latest value of each key', () => {
    const values = new WriteBehindBuffer<number>(10);
    values.setValue('a', 1);
    values.setValue('b', 2);
    values.setValue('a', 3);
    expect(values.entries).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect([values.valueOf('a'), values.valueOf('c')]).toEqual([3, undefined]);
  });

  it('keeps a value that changed while the earlier one was stored', () => {
    const values = new WriteBehindBuffer<number>(10);
    values.setValue('a', 1);
    values.setValue('b', 2);
    const { entries } = values;
    values.setValue('a', 3);
    values.removeStored(entries);
    expect(values.entries).toEqual([['a', 3]]);
  });

  it('drops values of further keys above its limit', () => {
    const values = new WriteBehindBuffer<number>(2);
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 4],
    ] as const)
      values.setValue(key, value);
    expect(values.entries).toEqual([
      ['a', 4],
      ['b', 2],
    ]);
  });
});
