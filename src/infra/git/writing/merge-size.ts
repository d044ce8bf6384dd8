/** Finds files that are too large to be merged: comparing lines takes git about thirty times their size in memory. */

import { changedPaths } from '../history/diff.ts'
import type { Oid } from '../model/names.ts'
import type { ChangedPath } from '../model/reading-types.ts'
import type { Quarantine } from '../model/values.ts'
import { type RepositoryContext, withReader } from '../objects/context.ts'

/** Larger files are not merged line by line, in bytes. */
const MERGED_FILE_BYTES = 8 * 1024 * 1024

/**
 * Lists large files that both sides have changed. They are treated as conflicts, as large binary files are.
 * @param quarantine set when `ours` may be in it
 */
export async function largeConflicts(
  context: RepositoryContext,
  { base, ours, theirs }: { base: Oid; ours: Oid; theirs: Oid },
  quarantine?: Quarantine,
): Promise<string[]> {
  const [ourChanges, theirChanges] = await Promise.all([
    Array.fromAsync(changedPaths(context, base, ours, { quarantine })),
    Array.fromAsync(changedPaths(context, base, theirs)),
  ])
  const pairs = pairsOf(ourChanges, theirChanges)
  if (pairs.length === 0) return []
  return withReader(context, quarantine, async (reader) => {
    const isLarge = async (oid: Oid) => ((await reader.info(oid))?.sizeBytes ?? 0) > MERGED_FILE_BYTES
    const conflicts = await Promise.all(
      pairs.map(async ([our, their]) => {
        const oids = [our.oldOid, our.newOid, their.newOid].filter((oid) => oid !== null)
        return (await Promise.all(oids.map(isLarge))).includes(true) ? [their.path] : []
      }),
    )
    return [...new Set(conflicts.flat())]
  })
}

/** Changes of both sides that git may have to merge: of one path, or of one content that a side may have renamed. */
function pairsOf(ours: readonly ChangedPath[], theirs: readonly ChangedPath[]): [ChangedPath, ChangedPath][] {
  const byPath = new Map(ours.map((change) => [change.path, change]))
  const byContent = new Map(ours.map((change) => [change.oldOid, change]))
  const pairs: [ChangedPath, ChangedPath][] = []
  for (const their of theirs) {
    const samePath = byPath.get(their.path)
    const our = samePath ?? (their.oldOid === null ? undefined : byContent.get(their.oldOid))
    if (our === undefined || (our === samePath && our.newOid === their.newOid)) continue
    if (our === samePath || our.newOid === null || their.newOid === null) pairs.push([our, their])
  }
  return pairs
}
