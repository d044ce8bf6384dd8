import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TagRef } from '../../../infra/git/index.ts'

/** A semantic version without build metadata, which does not affect precedence. */
export type Version = { numbers: readonly [bigint, bigint, bigint]; pre: string | null }

const number = '(0|[1-9]\\d*)'
const identifier = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const built = '(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?'
/** A semantic version with an optional leading `v`. */
export const versionSource = `v?${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?${built}`
const pattern = new RegExp(`^${versionSource}$`)

/** Parses a version; null for an invalid one. */
export function parseVersion(text: string): Version | null {
  const match = pattern.exec(text)
  return match && versionOf(match[1], match[2], match[3], match[4])
}

/** Null when a part is not a number. */
export function versionOf(
  major: string | null | undefined,
  minor: string | null | undefined,
  patch: string | null | undefined,
  pre?: string | null,
): Version | null {
  const isNumber = (part: string | null | undefined): part is string => /^\d{1,1000}$/.test(part ?? '')
  if (!isNumber(major) || !isNumber(minor) || !isNumber(patch)) return null
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: pre || null }
}

const compare = <T extends bigint | string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

/** Numeric identifiers precede others and are compared as numbers. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && isOtherNumber) return compare(a.length, b.length) || compare(a, b)
  return isNumber !== isOtherNumber ? (isNumber ? -1 : 1) : compare(a, b)
}

function comparePre(a: string | null, b: string | null): number {
  if (a === null || b === null) return compare(a === null ? 1 : 0, b === null ? 1 : 0)
  const [ours, theirs] = [a.split('.'), b.split('.')]
  for (const [index, identifier] of ours.entries()) {
    const other = theirs[index]
    const order = other === undefined ? 1 : compareIdentifiers(identifier, other)
    if (order !== 0) return order
  }
  return compare(ours.length, theirs.length)
}

/** Below, at or above zero, by the precedence of semantic versioning. */
export function compareVersions(a: Version, b: Version): number {
  for (const [index, part] of a.numbers.entries()) {
    const order = compare(part, b.numbers[index] ?? 0n)
    if (order !== 0) return order
  }
  return comparePre(a.pre, b.pre)
}

const tagsPerTurn = 20

/** The tag of the latest stable version before a version, or null. */
export async function tagBefore(
  tags: readonly TagRef[],
  version: Version,
  versionOfTag: (name: string) => Version | null,
): Promise<TagRef | null> {
  let best: { tag: TagRef; version: Version } | null = null
  for (const [index, tag] of tags.entries()) {
    // A configured pattern takes time, and there may be many tags.
    if (index % tagsPerTurn === tagsPerTurn - 1) await nextTurn()
    const found = tag.peeledType === 'commit' ? versionOfTag(tag.name) : null
    if (!found || found.pre !== null || compareVersions(found, version) >= 0) continue
    if (!best || compareVersions(found, best.version) > 0) best = { tag, version: found }
  }
  return best?.tag ?? null
}
