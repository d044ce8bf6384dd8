import { forms, onlyIn, type Static, Type } from '../../../api/index.ts'
import type { DescribedEntry, ListKind } from '../store/entries.ts'
import type { ProtectedBranchRow } from '../tables.ts'

const premium = { tier: 'premium' } as const

/** An entry of a rule's list (contract 01, AccessLevel). */
export const AccessLevel = Type.Object(
  {
    id: forms.id,
    access_level: forms.nullableInteger,
    access_level_description: Type.String(),
    deploy_key_id: Type.Optional(Type.Integer({ description: 'Only where a deploy key is named.' })),
    user_id: onlyIn(premium, forms.nullableInteger),
    group_id: onlyIn(premium, forms.nullableInteger),
  },
  { title: 'AccessLevel' },
)

/** A rule that protects branches (contract 01, ProtectedBranch). */
export const ProtectedBranch = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    push_access_levels: Type.Array(AccessLevel),
    merge_access_levels: Type.Array(AccessLevel),
    allow_force_push: Type.Boolean(),
    unprotect_access_levels: Type.Array(AccessLevel),
    code_owner_approval_required: Type.Boolean(),
    inherited: onlyIn(
      premium,
      Type.Optional(Type.Boolean({ description: "Present, and true, for rules of the project's group." })),
    ),
  },
  { title: 'ProtectedBranch' },
)

const levelNames: Record<number, string> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
}

export function presentAccessLevel(entry: DescribedEntry): Static<typeof AccessLevel> {
  const { id, access_level, deploy_key_id, user_id, group_id, title } = entry
  const description = access_level === null ? title : levelNames[access_level]
  return {
    id,
    access_level,
    access_level_description: description ?? '',
    ...(deploy_key_id === null ? {} : { deploy_key_id }),
    user_id,
    group_id,
  }
}

/** @param isInherited whether the rule belongs to the project's group */
export function presentProtectedBranch(
  row: ProtectedBranchRow,
  lists: Record<ListKind, readonly DescribedEntry[]> | undefined,
  isInherited: boolean,
): Static<typeof ProtectedBranch> {
  const listed = (kind: ListKind) => (lists?.[kind] ?? []).map(presentAccessLevel)
  return {
    id: row.id,
    name: row.name,
    push_access_levels: listed('push'),
    merge_access_levels: listed('merge'),
    allow_force_push: row.allow_force_push,
    unprotect_access_levels: listed('unprotect'),
    code_owner_approval_required: row.code_owner_approval_required,
    ...(isInherited ? { inherited: true } : {}),
  }
}
