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
