// The search of the documentation page. The page receives the text of the function, which therefore uses nothing outside itself.

/** The parts of Swagger UI's Immutable.js collections that the search reads. */
interface Operations {
  filter(
    accepts: (operation: { get(key: string): unknown; getIn(path: string[]): unknown }) => boolean,
  ): Operations;
  readonly size: number;
}
interface TaggedOperations {
  map(change: (tag: Tag, name: string) => Tag): TaggedOperations;
  filter(accepts: (tag: Tag) => boolean): TaggedOperations;
}
interface Tag {
  get(key: 'operations'): Operations;
  set(key: 'operations', operations: Operations): Tag;
}
interface Layout {
  currentFilter(): unknown;
  isShown(thing: string[], isShownByDefault: boolean): boolean;
}
interface TagProperties {
  readonly layoutSelectors: Layout;
}
interface System {
  readonly React: { createElement(component: unknown, properties: object): unknown };
}

/**
 * A plugin of Swagger UI, whose own filter compares names of tags only: the operations whose tag, method, path, name or summary
 * contain every word of the filter, with their tags open.
 */
export function operationSearch() {
  return {
    fn: {
      opsFilter: (tags: TaggedOperations, phrase: string): TaggedOperations => {
        const words = phrase.toLowerCase().split(' ');
        const withMatches = tags.map((tag, name) =>
          tag.set(
            'operations',
            tag.get('operations').filter((operation) => {
              const texts = [name, operation.get('method'), operation.get('path')];
              const described = ['operationId', 'summary'].map((key) => operation.getIn(['operation', key]));
              const text = [...texts, ...described].join(' ').toLowerCase();
              return words.every((word) => text.includes(word));
            }),
          ),
        );
        return withMatches.filter((tag) => tag.get('operations').size > 0);
      },
    },
    wrapComponents: {
      OperationTag:
        (Original: unknown, { React }: System) =>
        (properties: TagProperties): unknown => {
          const { layoutSelectors } = properties;
          const phrase = layoutSelectors.currentFilter();
          const isSearching = typeof phrase === 'string' && phrase !== '' && phrase !== 'true';
          const isShown: Layout['isShown'] = (thing, isShownByDefault) =>
            (isSearching && thing[0] === 'operations-tag') ||
            layoutSelectors.isShown(thing, isShownByDefault);
          return React.createElement(Original, {
            ...properties,
            layoutSelectors: { ...layoutSelectors, isShown },
          });
        },
    },
  };
}
