import { StateMachine } from './state-machine.js';

type State = 'open' | 'ajar' | 'shut' | 'locked';
type Verb = 'close' | 'lock' | 'unlock';

const door = new StateMachine<State, Verb>([
  { verb: 'close', from: ['open', 'ajar'], to: 'shut' },
  { verb: 'lock', from: ['shut'], to: 'locked' },
  { verb: 'unlock', from: ['locked'], to: 'shut' },
]);

it.each<[State, Verb, State | undefined]>([
  ['open', 'close', 'shut'],
  ['ajar', 'close', 'shut'],
  ['shut', 'close', undefined],
  ['locked', 'close', undefined],
  ['open', 'lock', undefined],
  ['ajar', 'lock', undefined],
  ['shut', 'lock', 'locked'],
  ['locked', 'lock', undefined],
  ['open', 'unlock', undefined],
  ['ajar', 'unlock', undefined],
  ['shut', 'unlock', undefined],
  ['locked', 'unlock', 'shut'],
])('from %s, %s leads to %s', (state, verb, next) => {
  if (next) expect(door.next(state, verb)).toBe(next);
  else
    expect(() => door.next(state, verb)).toThrow(
      expect.objectContaining({ code: 'INVALID_STATE', status: 422 }),
    );
});

it('names the states in which the verb is allowed', () => {
  expect(() => door.next('locked', 'close')).toThrow(
    expect.objectContaining({
      details: { status: 'locked', action: 'close', allowedFrom: ['open', 'ajar'] },
    }),
  );
});
