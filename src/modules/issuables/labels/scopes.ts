/** A label, for what the order and the scope of its title decide. */
export type LabelRef = { id: number; title: string }

/** Orders texts by code point. */
export function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** The key of a scoped label: everything before the last `::` (contract 17, "Rules"); null for other labels. */
export function scopeOf(title: string): string | null {
  const end = title.lastIndexOf('::')
  return end > 0 && end + 2 < title.length ? title.slice(0, end) : null
}

/** A wish about the labels of an issuable; `add` and `remove` are applied after `replace` (contract 16, x.issue_update). */
export type LabelChange = {
  replace?: readonly LabelRef[]
  add?: readonly LabelRef[]
  remove?: readonly LabelRef[]
  /** Whether labels of one scope stay beside each other: scopes are a function of a higher tier. */
  ignoresScopes?: boolean
}

/** The labels after a change. A label that is added displaces the others of its scope. */
export function changedLabels(
  current: readonly LabelRef[],
  { replace, add = [], remove = [], ignoresScopes }: LabelChange,
) {
  const labels = new Map((replace ? [] : current).map((label) => [label.id, label]))
  for (const label of [...(replace ?? []), ...add]) {
    const scope = ignoresScopes ? null : scopeOf(label.title)
    for (const other of labels.values()) {
      if (scope !== null && other.id !== label.id && scopeOf(other.title) === scope) labels.delete(other.id)
    }
    labels.set(label.id, label)
  }
  for (const { id } of remove) labels.delete(id)
  return [...labels.values()]
}

/** The labels of one list that are not in another, by title. */
export function without(labels: readonly LabelRef[], others: readonly LabelRef[]): LabelRef[] {
  const ids = new Set(others.map(({ id }) => id))
  return labels.filter(({ id }) => !ids.has(id)).sort((left, right) => byCodePoint(left.title, right.title))
}
