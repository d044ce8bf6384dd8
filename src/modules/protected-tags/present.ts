import { type Static, Type } from '../../api/index.ts'
import {
  AccessLevel,
  type DescribedEntry,
  type ProtectedTagRow,
  presentAccessLevel,
} from '../protected-branches/index.ts'

/** A rule that protects tags (contract 01, ProtectedTag). */
export const ProtectedTag = Type.Object(
  { name: Type.String(), create_access_levels: Type.Array(AccessLevel) },
  { title: 'ProtectedTag' },
)

export type PresentedProtectedTag = Static<typeof ProtectedTag>

export function presentProtectedTag(row: ProtectedTagRow, entries: readonly DescribedEntry[]): PresentedProtectedTag {
  return { name: row.name, create_access_levels: entries.map(presentAccessLevel) }
}
