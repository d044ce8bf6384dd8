import { type Static, Type } from '../../api/index.ts'
import { AccessLevel, type DescribedEntry, presentAccessLevel } from '../protected-branches/index.ts'
import type { ProtectedTagRow } from './tables.ts'

/** A rule that protects tags (contract 01, ProtectedTag). */
export const ProtectedTag = Type.Object(
  { name: Type.String(), create_access_levels: Type.Array(AccessLevel) },
  { title: 'ProtectedTag' },
)

export function presentProtectedTag(
  { name }: ProtectedTagRow,
  entries: readonly DescribedEntry[] = [],
): Static<typeof ProtectedTag> {
  return { name, create_access_levels: entries.map(presentAccessLevel) }
}
