import { computed, forms, object, of, Type } from '../../../api/index.ts'
import type { DescribedEntry, ListKind } from '../store/entries.ts'
import type { ProtectedBranchRow } from '../tables.ts'

const premium = { tier: 'premium' } as const

/** The descriptions of access levels, also of other protections (contract 01, AccessLevel). */
export const levelNames: Record<number, string> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
}

const entries = of<DescribedEntry>()

/** An entry of a rule's list (contract 01, AccessLevel). */
export const AccessLevel = object('AccessLevel', entries, {
  id: forms.id,
  access_level: forms.nullableInteger,
  access_level_description: computed(Type.String(), ({ access_level: level, title }) => {
    return (level === null ? title : levelNames[level]) ?? ''
  }),
  deploy_key_id: computed(
    Type.Optional(Type.Integer({ description: 'Only where a deploy key is named.' })),
    ({ deploy_key_id }) => deploy_key_id ?? undefined,
  ),
  ...entries.ifEdition(premium, { user_id: forms.nullableInteger, group_id: forms.nullableInteger }),
})

/** A rule with its lists. */
type ShownRule = ProtectedBranchRow & {
  lists: Record<ListKind, readonly DescribedEntry[]> | undefined
  /** Whether the rule belongs to the project's group. */
  isInherited: boolean
}
const rules = of<ShownRule>()

const listed = (kind: ListKind) =>
  computed(Type.Array(AccessLevel), ({ lists }: ShownRule) =>
    (lists?.[kind] ?? []).map((entry) => AccessLevel.present(entry)),
  )

/** A rule that protects branches (contract 01, ProtectedBranch). */
export const ProtectedBranch = object('ProtectedBranch', rules, {
  id: forms.id,
  name: Type.String(),
  push_access_levels: listed('push'),
  merge_access_levels: listed('merge'),
  allow_force_push: Type.Boolean(),
  unprotect_access_levels: listed('unprotect'),
  code_owner_approval_required: Type.Boolean(),
  ...rules.ifEdition(premium, {
    ...rules.ifRow(({ isInherited }) => isInherited, {
      inherited: computed(
        Type.Boolean({ description: "Present, and true, for rules of the project's group." }),
        () => true,
      ),
    }),
  }),
})
