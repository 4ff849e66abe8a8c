import type { EventConsumer } from './events.types.js';

type ConsumerOptions = Omit<EventConsumer, 'consume'>;

const CONSUMER = Symbol('consumer');

/** Marks a method of a provider that writes what follows from committed events. */
export function Consumer(options: ConsumerOptions) {
  return <Method extends EventConsumer['consume']>(
    _prototype: object,
    _name: string,
    { value }: TypedPropertyDescriptor<Method>,
  ): void => Reflect.defineMetadata(CONSUMER, options, value as Method);
}

export function consumerOptionsOf(method: object): ConsumerOptions | undefined {
  return Reflect.getMetadata(CONSUMER, method) as ConsumerOptions | undefined;
}
