import { type Actor, dayOf, forms, type PageRequest, requireSignedIn, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { levelsOf, role } from '../../access/index.ts'
import { listGroups } from '../../groups/index.ts'
import { namespaceMembers } from '../../namespaces/index.ts'
import { listProjects, ProjectSummary } from '../../projects/index.ts'

const ReachedGroup = Type.Object({
  id: forms.id,
  web_url: Type.String(),
  name: Type.String(),
  parent_id: forms.nullableInteger,
  organization_id: Type.Integer(),
  access_levels: Type.Integer(),
  visibility: Type.String(),
})

const ReachedProject = Type.Object({
  ...ProjectSummary.properties,
  access_levels: Type.Object({
    project_access_level: forms.nullableInteger,
    group_access_level: forms.nullableInteger,
  }),
  visibility: Type.String(),
  web_url: Type.String(),
  namespace: Type.Object(namespaceMembers),
})

/** The groups and projects in which the owner of a token has a role (contract 20, x.pats_self_assoc). */
export const TokenAssociations = Type.Object(
  { groups: Type.Array(ReachedGroup), projects: Type.Array(ReachedProject) },
  { title: 'TokenAssociations' },
)

async function reachedGroups(platform: Platform, actor: Actor, least: number, page: PageRequest) {
  const { read } = platform.database
  const { items } = await listGroups(platform, actor, { min_access_level: least, order_by: 'id' }, page)
  const ids = items.map(({ id }) => id)
  const holder = { userId: requireSignedIn(actor).userId, today: dayOf(platform.clock.now()) }
  const levels = await levelsOf(read, holder, ids)
  return items.map((group) => ({ ...group, access_levels: levels.get(group.id) ?? 0 }))
}

type Access = { access_level: number } | null | undefined

async function reachedProjects(platform: Platform, actor: Actor, least: number, page: PageRequest) {
  const filter = { membership: true, min_access_level: least, order_by: 'id', sort: 'asc' } as const
  const { items } = await listProjects(platform, actor, filter, page)
  return items.map((project) => {
    const { permissions } = project as { permissions?: { project_access: Access; group_access: Access } }
    const access_levels = {
      project_access_level: permissions?.project_access?.access_level ?? null,
      group_access_level: permissions?.group_access?.access_level ?? null,
    }
    return { ...(project as unknown as Static<typeof ReachedProject>), access_levels }
  })
}

/** A page of the groups, and one of the projects, in which the caller has at least a role. */
export async function associationsOf(
  platform: Platform,
  actor: Actor,
  { least = role.guest, page }: { least?: number; page: PageRequest },
): Promise<Static<typeof TokenAssociations>> {
  return {
    groups: await reachedGroups(platform, actor, least, page),
    projects: await reachedProjects(platform, actor, least, page),
  }
}
