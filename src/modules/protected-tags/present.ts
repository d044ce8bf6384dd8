import { computed, object, of, Type } from '../../api/index.ts'
import { AccessLevel, type DescribedEntry } from '../protected-branches/index.ts'
import type { ProtectedTagRow } from './tables.ts'

/** A rule with its list. */
type ShownRule = ProtectedTagRow & { entries: readonly DescribedEntry[] }

/** A rule that protects tags (contract 01, ProtectedTag). */
export const ProtectedTag = object('ProtectedTag', of<ShownRule>(), {
  name: Type.String(),
  create_access_levels: computed(Type.Array(AccessLevel), ({ entries }) =>
    entries.map((entry) => AccessLevel.present(entry)),
  ),
})
