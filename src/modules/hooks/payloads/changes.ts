/** A value before and after a change. */
type Change = { previous: unknown; current: unknown }

export type Changes = Record<string, Change>

type Values = Readonly<Record<string, unknown>>

/** The members that differ (contract 21 R7, `changes`). @param before null: it is new, so all with a value differ from null */
export function changesBetween(before: Values | null, after: Values): Changes {
  const differing = Object.entries(after).filter(([name, value]) => (before ? before[name] : null) !== value)
  return Object.fromEntries(
    differing.map(([name, current]) => [name, { previous: before ? (before[name] ?? null) : null, current }]),
  )
}

type Moved<Item> = { added: readonly Item[]; removed: readonly Item[] }

/** What a list was before some were added and removed. */
export function listBefore<Item>(now: readonly Item[], { added, removed }: Moved<Item>): Item[] {
  return [...now.filter((item) => !added.includes(item)), ...removed]
}

export const isMoved = ({ added, removed }: Moved<unknown>) => added.length + removed.length > 0
