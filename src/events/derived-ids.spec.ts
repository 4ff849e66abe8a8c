import fc from 'fast-check';
import { validate, version } from 'uuid';
import { newId } from '../common/ids.js';
import { derivedId } from './derived-ids.js';

const EVENT = '01a225d2-81af-71ff-8a74-de9ed032f139';

describe('A derived id', () => {
  it('is the same for the same event, consumer and index', () => {
    expect(derivedId(EVENT, 'mails', 1)).toBe(derivedId(EVENT, 'mails', 1));
    // A changed id would let a repeated event insert its rows a second time.
    expect(derivedId(EVENT, 'mails')).toBe('01a225d2-81af-71ff-8a74-deddecbd86de');
  });

  it('is another one for each event, consumer and index', () => {
    const ids = [EVENT, newId(), newId()].flatMap((eventId) =>
      ['mails', 'notifications', 'webhooks'].flatMap((consumer) =>
        [0, 1, 2, 'subscription'].map((index) => derivedId(eventId, consumer, index)),
      ),
    );
    expect(new Set([EVENT, ...ids]).size).toBe(ids.length + 1);
  });

  it('is a UUID v7', () => {
    for (let count = 0; count < 100; count++) {
      const id = derivedId(newId(), 'mails', count);
      expect([validate(id), version(id)]).toEqual([true, 7]);
    }
  });

  it('has the order of the ids of the events, even within a millisecond', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 2, max: 200 }), (one, other, count) => {
        const eventIds = Array.from({ length: count }, newId);
        const ids = eventIds.map((eventId, index) =>
          derivedId(eventId, index % 2 === 0 ? one : other, index),
        );
        expect(ids).toEqual(ids.toSorted());
        expect(new Set(ids).size).toBe(count);
      }),
    );
  });
});
