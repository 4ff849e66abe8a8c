const NO_MEMBERS: ReadonlySet<never> = new Set<never>();

/** Sets by name, each in the order of insertion. A set without members takes no memory. */
export class Groups<Member> {
  private readonly membersByName = new Map<string, Set<Member>>();

  membersOf(name: string): ReadonlySet<Member> {
    return this.membersByName.get(name) ?? NO_MEMBERS;
  }

  addTo(name: string, member: Member): void {
    const members = this.membersByName.get(name);
    if (members) members.add(member);
    else this.membersByName.set(name, new Set([member]));
  }

  removeFrom(name: string, member: Member): void {
    const members = this.membersByName.get(name);
    members?.delete(member);
    if (members?.size === 0) this.membersByName.delete(name);
  }

  clear(): void {
    this.membersByName.clear();
  }
}

/** The items of each key, in their order; without items whose key is null or undefined. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | null | undefined,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item) ?? undefined;
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
