import { StateMachine } from './state-machine.js';

type State = 'open' | 'ajar' | 'shut' | 'locked';
type Verb = 'close' | 'lock' | 'unlock';

const door = new StateMachine<State, Verb>([
  { verb: 'close', from: ['open', 'ajar'], to: 'shut' },
  { verb: 'lock', from: ['shut'], to: 'locked' },
  { verb: 'unlock', from: ['locked'], to: 'shut' },
]);

it.each<[State, Verb, State | 'INVALID_STATE']>([
  ['open', 'close', 'shut'],
  ['ajar', 'close', 'shut'],
  ['shut', 'close', 'INVALID_STATE'],
  ['locked', 'close', 'INVALID_STATE'],
  ['open', 'lock', 'INVALID_STATE'],
  ['ajar', 'lock', 'INVALID_STATE'],
  ['shut', 'lock', 'locked'],
  ['locked', 'lock', 'INVALID_STATE'],
  ['open', 'unlock', 'INVALID_STATE'],
  ['ajar', 'unlock', 'INVALID_STATE'],
  ['shut', 'unlock', 'INVALID_STATE'],
  ['locked', 'unlock', 'shut'],
])('in the state %s, the verb %s leads to %s', (state, verb, next) => {
  if (next !== 'INVALID_STATE') expect(door.next(state, verb)).toBe(next);
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
