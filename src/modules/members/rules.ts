import { type Actor, forbidden, notIncluded, type Problems, recordNotFound } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type MemberRow, type MemberSource, memberLevels, requirePermissions, role, roleName } from '../access/index.ts'
import { callerLevel, type ProjectOrGroup } from '../projects/index.ts'
import { presentMembers } from './lists.ts'
import type { PresentedMember } from './present.ts'
import type { InheritedMembership } from './store.ts'

/** The levels of memberships: minimal access exists in groups only (contract 21). */
function levelsOf({ kind }: MemberSource): readonly number[] {
  return kind === 'group' ? memberLevels : memberLevels.filter((level) => level !== role.minimal)
}

/** @throws ApiError 403 when the level is above the caller's */
export function requireLevel(actor: Actor, source: ProjectOrGroup, level: number): void {
  if (levelsOf(source).includes(level) && level > callerLevel(actor, source)) throw forbidden()
}

/** @throws ApiError 403 when the level is above the caller's, or the member role has permissions that the caller has not */
export async function requireGrant(
  db: Reader,
  actor: Actor,
  source: ProjectOrGroup,
  wanted: { access_level: number; member_role_id?: number | null | undefined },
): Promise<void> {
  requireLevel(actor, source, wanted.access_level)
  const standing = source.group ?? source.project.role
  await requirePermissions(db, actor, { kind: source.kind, namespaceId: source.namespaceId, standing }, wanted)
}

/**
 * Checks a new or changed membership (contract 21, x.group_members_add); null when it is valid.
 * @param memberRole what is wrong with its member role
 */
export function problemsOf(
  source: MemberSource,
  wanted: { access_level: number; expires_at?: string | null },
  inherited: InheritedMembership | undefined,
  today: string,
  memberRole: readonly string[] = [],
): Problems | null {
  const fields: Problems = memberRole.length > 0 ? { member_role: [...memberRole] } : {}
  if (!levelsOf(source).includes(wanted.access_level)) fields.access_level = [notIncluded]
  else if (inherited && wanted.access_level < inherited.access_level) {
    const { access_level: level, full_path: path } = inherited
    const least = `${roleName(level)} inherited membership from group ${path}`
    fields.access_level = [`should be greater than or equal to ${least}`]
  }
  if (wanted.expires_at && wanted.expires_at <= today) fields.expires_at = ['cannot be a date in the past']
  return Object.keys(fields).length > 0 ? fields : null
}

/** Presents a membership that was just written. */
export async function presentMembership(
  platform: Platform,
  db: Reader,
  row: MemberRow,
  source: ProjectOrGroup,
  actor: Actor,
): Promise<PresentedMember> {
  const [member] = await presentMembers(platform, db, [row], source, actor)
  if (!member) throw recordNotFound()
  return member
}
