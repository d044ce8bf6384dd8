/** Snapshots of branches and tags: immutable, sorted by bytes, searched by bisection. */
import type { Oid, RefName } from './names.ts'
import type { ObjectType } from './values.ts'

/** A branch: its short name and the commit it points at. */
export type BranchRef = { readonly name: string; readonly oid: Oid }

/** A tag: `oid` is the tag object, or the tagged object itself (lightweight); `peeled` is the object behind all tags. */
export type TagRef = {
  readonly name: string
  readonly oid: Oid
  /** Type of `oid`: `tag` for an annotated tag. */
  readonly type: ObjectType
  readonly peeled: Oid
  readonly peeledType: ObjectType
}

/** All branches and tags of a repository at one generation. Immutable; both lists are sorted by the bytes of the name. */
export type RefSnapshot = {
  readonly generation: number | string
  /** The target of HEAD, which need not exist. */
  readonly head: RefName
  readonly branches: readonly BranchRef[]
  readonly tags: readonly TagRef[]
  /** Whether all of them are here: names that are not UTF-8 are left out. */
  readonly isWhole: boolean
  branch(name: string): BranchRef | null
  tag(name: string): TagRef | null
  /** The commit behind a tag; null when there is no such tag, or another object behind it. */
  tagCommit(name: string): Oid | null
  /** The index of the first branch whose name is not below `name` in byte order (for keyset pages). */
  branchIndex(name: string): number
  tagIndex(name: string): number
}

/** Creates a snapshot. Both lists must be sorted by bytes. */
export function refSnapshot(
  generation: number | string,
  head: RefName,
  branches: readonly BranchRef[],
  tags: readonly TagRef[],
  isWhole = true,
): RefSnapshot {
  return {
    generation,
    head,
    branches,
    tags,
    isWhole,
    branch: (name) => find(branches, name),
    tag: (name) => find(tags, name),
    tagCommit(name) {
      const tag = find(tags, name)
      return tag?.peeledType === 'commit' ? tag.peeled : null
    },
    branchIndex: (name) => lowerBound(branches, name),
    tagIndex: (name) => lowerBound(tags, name),
  }
}

/** Refs as read from the repository, by short name; null for a ref that does not exist. */
export type CurrentRefs = {
  readonly branches: ReadonlyMap<string, BranchRef | null>
  readonly tags: ReadonlyMap<string, TagRef | null>
}

/** Creates a snapshot with some refs replaced; `previous` does not change. @param head the current target of HEAD */
export function nextSnapshot(
  previous: RefSnapshot,
  generation: number | string,
  head: RefName,
  current: CurrentRefs,
): RefSnapshot {
  const branches = merged(previous.branches, current.branches)
  return refSnapshot(generation, head, branches, merged(previous.tags, current.tags), previous.isWhole)
}

/** Replaces, adds (a value) or removes (null) entries of a sorted list. Returns the same list when nothing changes. */
function merged<Ref extends { readonly name: string }>(
  list: readonly Ref[],
  changes: ReadonlyMap<string, Ref | null>,
): readonly Ref[] {
  if (changes.size === 0) return list
  const sorted = [...changes].sort(([a], [b]) => compareByBytes(a, b))
  const result: Ref[] = []
  let from = 0
  for (const [name, ref] of sorted) {
    const index = lowerBound(list, name)
    for (; from < index; from += 1) result.push(list[from]!)
    if (list[index]?.name === name) from = index + 1
    if (ref !== null) result.push(ref)
  }
  for (; from < list.length; from += 1) result.push(list[from]!)
  return result
}

function find<Ref extends { readonly name: string }>(list: readonly Ref[], name: string): Ref | null {
  const candidate = list[lowerBound(list, name)]
  return candidate?.name === name ? candidate : null
}

function lowerBound(list: readonly { readonly name: string }[], name: string): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareByBytes(list[middle]!.name, name) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Compares two strings by their UTF-8 bytes, which is git's order. JavaScript compares UTF-16 units, which puts U+10000 and
 * above (surrogates, D800–DFFF) before U+E000–FFFF.
 */
export function compareByBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
