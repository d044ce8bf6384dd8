import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  inheritedLevels,
  noPermissions,
  type OwnRoles,
  permissionsInProjects,
  projectLevels,
  role,
} from '../../access/index.ts'
import { isOpenTo } from '../../namespaces/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { callerRoles, canSee, may, outsider, type Project, today } from '../core/access.ts'
import { projectsByIds } from '../core/store.ts'
import { type ProjectSettings, settingsOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { contextsOf, type ProjectContext, type Relations, relationsOf } from './store.ts'

/** Everything that the presentation of a project to a certain caller needs. */
export type ProjectFacts = {
  project: Project
  settings: ProjectSettings
  context: ProjectContext
  relations: Relations
  /** The owner of the personal namespace that the project is in. */
  owner: UserRow | undefined
  /** The project that it was forked from, if the caller can see that. */
  source: ProjectFacts | undefined
  openIssues: number
  isAdministrator: boolean
  isMember: boolean
  /** Whether the caller sees what only maintainers see. */
  administers: boolean
  readsCode: boolean
  readsImages: boolean
}

type AnyProject = ProjectRow | Project
type Loaded = {
  contexts: ReadonlyMap<number, ProjectContext>
  relations: ReadonlyMap<number, Relations>
  owners: ReadonlyMap<number, UserRow>
  openIssues: ReadonlyMap<number, number>
}

const noRelations: Relations = { topics: [], links: [] }

function levelsOf(direct: number | null, inherited: number | null, isPersonal: boolean) {
  const level = Math.max(direct ?? 0, inherited ?? 0)
  // The owner of a personal namespace counts as a member of the project itself.
  return isPersonal
    ? { level, projectLevel: level, groupLevel: null }
    : { level, projectLevel: direct, groupLevel: inherited }
}

/** Adds the caller's roles to the projects that carry none. */
async function withRoles(
  db: Reader,
  rows: readonly AnyProject[],
  contexts: ReadonlyMap<number, ProjectContext>,
  findRoles: () => Promise<OwnRoles>,
): Promise<Project[]> {
  const without = rows.filter((row) => !('role' in row))
  if (without.length === 0) return rows as Project[]
  const roles = await findRoles()
  const namespaceIds = without.map(({ namespace_id }) => namespace_id)
  const inherited = await inheritedLevels(db, roles, namespaceIds)
  const direct = await projectLevels(
    db,
    roles,
    without.map(({ id }) => id),
  )
  const permissions = await permissionsInProjects(db, roles, without)
  return rows.map((row) => {
    if ('role' in row) return row
    const isPersonal = contexts.get(row.id)?.namespace_kind === 'user'
    const levels = [direct.get(row.id) ?? null, inherited.get(row.namespace_id) ?? null] as const
    if (levels.every((level) => level === null)) return { ...row, role: outsider }
    const role = { ...levelsOf(...levels, isPersonal), permissions: permissions.get(row.id) ?? noPermissions }
    return { ...row, role }
  })
}

/** Null when the project was deleted after its row was read. */
function factsOf(project: Project, actor: Actor, loaded: Loaded, source?: Project): ProjectFacts | null {
  const context = loaded.contexts.get(project.id)
  if (!context) return null
  const administrator = isAdministrator(actor)
  return {
    project,
    settings: settingsOf(project),
    context,
    relations: loaded.relations.get(project.id) ?? noRelations,
    owner: loaded.owners.get(context.namespace_owner_id ?? 0),
    source: source && (factsOf(source, actor, loaded) ?? undefined),
    openIssues: loaded.openIssues.get(project.id) ?? 0,
    isAdministrator: administrator,
    isMember: administrator || project.role.level >= role.guest,
    administers: administrator || project.role.level >= role.maintainer,
    readsCode: may(actor, project, 'read_code'),
    readsImages: may(actor, project, 'read_container_images'),
  }
}

/** The rows of a page, and those of the projects that they were forked from. */
async function withSources(db: Reader, rows: readonly AnyProject[]): Promise<AnyProject[]> {
  const ids = rows.flatMap((row) => row.forked_from_id ?? [])
  if (ids.length === 0) return [...rows]
  const known = new Set(rows.map(({ id }) => id))
  return [...rows, ...(await projectsByIds(db, ids)).filter(({ id }) => !known.has(id))]
}

/** Removes the invited groups that the caller cannot see. */
async function hideGroups(
  db: Reader,
  relations: Iterable<Relations>,
  actor: Actor,
  findRoles: () => Promise<OwnRoles>,
): Promise<void> {
  if (isAdministrator(actor)) return
  const isHidden = (link: Relations['links'][number]) => !isOpenTo(actor, { visibility: link.group_visibility })
  const concerned = [...relations].filter(({ links }) => links.some(isHidden))
  if (concerned.length === 0) return
  const ids = concerned.flatMap(({ links }) => links.map((link) => link.group_id))
  const levels = await inheritedLevels(db, await findRoles(), ids)
  for (const one of concerned) one.links = one.links.filter((link) => !isHidden(link) || levels.has(link.group_id))
}

/**
 * Loads the facts of a page in a constant number of queries.
 * @param rows the projects; a role that they carry is taken as it is
 * @param known the caller's roles, when the caller of this function has them already
 */
export async function loadFacts(
  platform: Platform,
  rows: readonly AnyProject[],
  actor: Actor,
  known?: OwnRoles,
): Promise<ProjectFacts[]> {
  const { database, ports } = platform
  const db = database.read
  let roles = known
  const findRoles = async () => {
    roles ??= await callerRoles(db, actor, today(platform))
    return roles
  }
  const all = await withSources(db, rows)
  const ids = all.map(({ id }) => id)
  // Sources are shown at the basic level, without numbers that are summed.
  const shown = rows.map(({ id }) => id)
  const [contexts, openIssues] = await Promise.all([
    contextsOf(db, ids),
    ports['projects.open_issues'](platform, shown),
  ])
  const related = ids.filter((id) => contexts.get(id)?.has_relations === 1)
  const relations = await relationsOf(db, related, today(platform))
  await hideGroups(db, relations.values(), actor, findRoles)
  const ownerIds = [...contexts.values()].flatMap((one) => one.namespace_owner_id ?? [])
  const loaded = { contexts, relations, owners: await usersByIds(db, ownerIds), openIssues }
  const projects = new Map((await withRoles(db, all, contexts, findRoles)).map((project) => [project.id, project]))
  return rows.flatMap(({ id, forked_from_id: sourceId }) => {
    const project = projects.get(id)
    const source = projects.get(sourceId ?? 0)
    const isVisible = source && !source.pending_delete && canSee(actor, source)
    return (project && factsOf(project, actor, loaded, isVisible ? source : undefined)) ?? []
  })
}
