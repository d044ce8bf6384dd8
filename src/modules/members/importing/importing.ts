import { type Actor, dayOf, forbidden, notFound } from '../../../api/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { type MemberRow, role } from '../../access/index.ts'
import { callerLevel, fromProject, type Project, type ProjectOrGroup, visibleProject } from '../../projects/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { type AddedSeveral, addAll, errorsOf } from '../adding.ts'
import { directMembersOf } from '../store.ts'

type Batch = { access_level: number; expires_at: string | null; userIds: number[] }

/** Members of the same level and end are added together. No level is above that of the caller. */
function batchesOf(members: readonly MemberRow[], most: number): Batch[] {
  const batches = new Map<string, Batch>()
  for (const { user_id: userId, access_level: level, expires_at } of members) {
    const access_level = Math.min(level, most)
    const key = `${access_level} ${expires_at}`
    const batch = batches.get(key) ?? { access_level, expires_at, userIds: [] }
    batch.userIds.push(userId)
    batches.set(key, batch)
  }
  return [...batches.values()]
}

/** @throws ApiError 404 for a project that the caller cannot see, 403 for one whose members they do not manage */
async function requireSource(platform: Platform, actor: Actor, sourceId: number): Promise<Project> {
  const day = dayOf(platform.clock.now())
  const source = await visibleProject(platform.database.read, String(sourceId), actor, day)
  if (!source) throw notFound('Project')
  if (callerLevel(actor, fromProject(source)) < role.maintainer) throw forbidden('Project')
  return source
}

/**
 * Makes the direct members of another project members of this one (contract 21, x.projects_import_members). Those who are
 * members already keep their role.
 * @throws ApiError 403, 404
 */
export async function importMembers(
  platform: Platform,
  target: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  sourceId: number,
): Promise<AddedSeveral> {
  const source = await requireSource(platform, actor, sourceId)
  const createdById = actor.kind === 'user' ? actor.userId : null
  const day = dayOf(platform.clock.now())
  return platform.database.write(async (tx) => {
    const present = new Set((await directMembersOf(tx, target, day)).map((member) => member.user_id))
    const members = (await directMembersOf(tx, fromProject(source), day)).filter((one) => !present.has(one.user_id))
    const users = await usersByIds(
      tx,
      members.map((member) => member.user_id),
    )
    const problems: Record<string, string> = {}
    for (const { userIds, ...wanted } of batchesOf(members, callerLevel(actor, target))) {
      const added = userIds.flatMap((id) => users.get(id) ?? [])
      const outcomes = await addAll(platform, tx, target, createdById, added, wanted)
      Object.assign(
        problems,
        errorsOf(new Map(added.map((user): [string, UserRow] => [user.username, user])), outcomes),
      )
    }
    await act(tx, `from project ${source.id}`)
    return Object.keys(problems).length > 0 ? { status: 'error', message: problems } : { status: 'success' }
  })
}
