/** The numbers at which both versions are. */
type At = readonly [before: number, after: number]

/** A line of a patch; `before` and `after` are its numbers in the two versions. */
export type Line =
  | { kind: 'add'; after: number; at: At; text: string }
  | { kind: 'del'; before: number; at: At; text: string }
  | { kind: 'same'; before: number; after: number; at: At; text: string }

/** A line of a patch, or what stands between the lines. */
export type Row = Line | { kind: 'hunk' | 'note'; text: string }

/** Whether a row is a line of one of the versions. */
export const isLine = (row: Row): row is Line => row.kind !== 'hunk' && row.kind !== 'note'

/** Reads the hunks of a patch. */
export function rowsOf(patch: string): Row[] {
  const rows: Row[] = []
  let [before, after] = [0, 0]
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    const text = line.slice(1)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      rows.push({ kind: 'hunk', text: line })
      continue
    }
    const at = [before, after] as const
    if (line.startsWith('+')) rows.push({ kind: 'add', after: after++, at, text })
    else if (line.startsWith('-')) rows.push({ kind: 'del', before: before++, at, text })
    else if (line.startsWith(' ')) rows.push({ kind: 'same', before: before++, after: after++, at, text })
    else if (line.startsWith('\\')) rows.push({ kind: 'note', text })
  }
  return rows
}

/** The numbers of added and removed lines. */
export function changesOf(rows: readonly Row[]): { added: number; removed: number } {
  const count = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).length
  return { added: count('add'), removed: count('del') }
}

/**
 * The changes of a patch: runs of removed lines and of added ones that follow them, as pairs of row numbers. The lines of a
 * pair stand side by side.
 */
export function pairsOf(rows: readonly Row[]): [left: number | null, right: number | null][] {
  const pairs: [number | null, number | null][] = []
  let [removed, added]: [number[], number[]] = [[], []]
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      pairs.push([removed[index] ?? null, added[index] ?? null])
    }
    removed = []
    added = []
  }
  for (const [index, { kind }] of rows.entries()) {
    if (kind === 'del') {
      if (added.length > 0) flush()
      removed.push(index)
    } else if (kind === 'add') added.push(index)
    else if (kind !== 'note') {
      flush()
      pairs.push([index, index])
    }
  }
  flush()
  return pairs
}
