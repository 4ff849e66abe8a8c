import {
  IntegerField,
  BooleanField,
  ListField,
  MapField,
  NestedField,
  StringField,
  StringListField,
} from '../openapi/fields.js';
import { csvColumns, toCsv } from './csv-list.js';

class Inner {
  @StringField() name!: string;
  @IntegerField({ nullable: true }) count!: number | null;
}
class Parent {
  @StringField() id!: string;
  @NestedField(() => Inner, { nullable: true }) inner!: Inner | null;
}
class Item extends Parent {
  @BooleanField() isOpen!: boolean;
  @StringListField() words!: string[];
  @ListField(() => Inner) inners!: Inner[];
  @MapField({ type: 'string' }) shares!: Record<string, string>;
}

const ITEM: Item = {
  id: '=1+1',
  inner: { name: 'a, b', count: null },
  isOpen: false,
  words: ['x', 'y'],
  inners: [],
  shares: { curve: '1.00' },
};

async function* batchesOf<T>(...batches: T[]): AsyncGenerator<T, void> {
  for (const batch of batches) yield batch;
}

/** The lines of the file. */
async function linesOf(items: Item[][], mapKeys?: Record<string, string[]>): Promise<string[]> {
  let text = '';
  for await (const piece of toCsv(csvColumns(Item, mapKeys), batchesOf(...items), (item) => item))
    text += piece;
  expect(text.endsWith('\r\n')).toBe(true);
  return text.split('\r\n').slice(0, -1);
}

describe('A list as CSV', () => {
  const HEADER = 'id,inner.name,inner.count,isOpen,words,inners,shares';

  it('has a column for each field, inherited and nested ones included, and an apostrophe before text that looks like a formula', async () => {
    expect(await linesOf([[ITEM], [{ ...ITEM, id: '-1.50', inner: null }]])).toEqual([
      HEADER,
      `'=1+1,"a, b",,false,"[""x"",""y""]",[],"{""curve"":""1.00""}"`,
      `-1.50,,,false,"[""x"",""y""]",[],"{""curve"":""1.00""}"`,
    ]);
  });

  it('has a column for each known key of a map', async () => {
    expect(await linesOf([[ITEM]], { shares: ['pendle', 'curve'] })).toEqual([
      HEADER.replace('shares', 'shares.pendle,shares.curve'),
      `'=1+1,"a, b",,false,"[""x"",""y""]",[],,1.00`,
    ]);
  });

  it('has only the header if the list has no items', async () => {
    expect(await linesOf([])).toEqual([HEADER]);
  });
});
