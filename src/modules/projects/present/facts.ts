import { type Actor, dayOf, isAdministrator } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now, type Reader } from '../../../infra/database/index.ts'
import { inheritedLevels, ownRoles, type ProjectRole, role } from '../../access/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { canSee, isOpenTo, may, type Project } from '../core/access.ts'
import { projectsByIds } from '../core/store.ts'
import { type ProjectSettings, settingsOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { type Relations, relationsOf, type Surroundings, surroundingsOf } from './store.ts'

/** Everything that is shown of a project to a certain caller, loaded. */
export type ProjectFacts = {
  project: Project
  settings: ProjectSettings
  surroundings: Surroundings
  relations: Relations
  /** Whose personal namespace it is in. */
  owner: UserRow | undefined
  /** What it was forked from, if the caller may see that. */
  source: ProjectFacts | undefined
  openIssuesCount: number
  /** Bytes that it takes up besides its repository, by the name under which they are shown. */
  sizes: Readonly<Record<string, number>>
  isAdministrator: boolean
  isMember: boolean
  /** Whether the caller sees what only maintainers see. */
  administers: boolean
  readsCode: boolean
}

/** The roles of a caller in projects and above them, as far as they concern a list. */
export type CallerRoles = { namespaces: ReadonlyMap<number, number>; projects: ReadonlyMap<number, number> }

const none: ReadonlyMap<number, number> = new Map()
const outsider: ProjectRole = { level: 0, projectLevel: null, groupLevel: null }
const noSizes = {}
const noRelations: Relations = { topics: [], links: [], forksCount: 0, ancestorIds: [] }

/** The roles that the caller has of their own; what lies below them is found with `withRoles`. */
export async function callerRoles(db: Reader, actor: Actor, today: string): Promise<CallerRoles> {
  if (actor.kind !== 'user') return { namespaces: none, projects: none }
  return ownRoles(db, actor.userId, today)
}

function roleOf(direct: number | null, inherited: number | null, isPersonal: boolean): ProjectRole {
  if (direct === null && inherited === null) return outsider
  const level = Math.max(direct ?? 0, inherited ?? 0)
  // The owner of a personal namespace counts as a member of the project itself.
  return isPersonal
    ? { level, projectLevel: level, groupLevel: null }
    : { level, projectLevel: direct, groupLevel: inherited }
}

/** Gives each project the role of the caller in it: their own there, or the highest that they have above it. */
function giveRoles(
  rows: readonly ProjectRow[],
  roles: CallerRoles,
  around: ReadonlyMap<number, Surroundings>,
  relations: ReadonlyMap<number, Relations>,
): void {
  for (const row of rows) {
    const above = relations.get(row.id)?.ancestorIds.flatMap((id) => roles.namespaces.get(id) ?? []) ?? []
    const inherited = above.length > 0 ? Math.max(...above) : null
    const isPersonal = around.get(row.id)?.namespace_kind === 'user'
    Object.assign(row, { role: roleOf(roles.projects.get(row.id) ?? null, inherited, isPersonal) })
  }
}

export type FactsNeeds = {
  database: Database
  clock: Clock
  /** Bytes that each of these projects takes up besides its repository, by the names of the statistics. */
  sizes?(projectIds: readonly number[]): Promise<ReadonlyMap<number, Readonly<Record<string, number>>>>
  /** How many open issues each of these projects has that the caller may read; projects without any may be left out. */
  openIssues?(projectIds: readonly number[], actor: Actor): Promise<ReadonlyMap<number, number>>
}

export type ProjectFactsLoader = ReturnType<typeof createFacts>

type Loaded = {
  around: ReadonlyMap<number, Surroundings>
  relations: ReadonlyMap<number, Relations>
  owners: ReadonlyMap<number, UserRow>
  issues: ReadonlyMap<number, number> | undefined
  sizes: ReadonlyMap<number, Readonly<Record<string, number>>> | undefined
}

/** The facts of one project; none when somebody has removed it since its row was read. */
function factsOf(project: Project, actor: Actor, loaded: Loaded, source?: ProjectFacts): ProjectFacts[] {
  const surroundings = loaded.around.get(project.id)
  if (!surroundings) return []
  const administrator = isAdministrator(actor)
  const facts: ProjectFacts = {
    project,
    settings: settingsOf(project),
    surroundings,
    relations: loaded.relations.get(project.id) ?? noRelations,
    owner: loaded.owners.get(surroundings.namespace_owner_id ?? 0),
    source,
    sizes: loaded.sizes?.get(project.id) ?? noSizes,
    openIssuesCount: loaded.issues?.get(project.id) ?? 0,
    isAdministrator: administrator,
    isMember: administrator || project.role.level >= role.guest,
    administers: administrator || project.role.level >= role.maintainer,
    readsCode: may(actor, project, 'read_code'),
  }
  return [facts]
}

/** The projects together with those that they were forked from. */
async function withSources(db: Reader, rows: readonly (ProjectRow | Project)[]) {
  const known = new Set(rows.map(({ id }) => id))
  const sources = await projectsByIds(
    db,
    rows.flatMap((row) => row.forked_from_id ?? []),
  )
  return [...rows, ...sources.filter(({ id }) => !known.has(id))]
}

/** Loads what is shown of projects, for a whole page at once. */
export function createFacts({ database, clock, openIssues, sizes }: FactsNeeds) {
  const db = database.read
  const today = () => dayOf(clock.now())

  /** Takes out the invited groups that the caller may not see. */
  async function hideGroups(relations: Iterable<Relations>, roles: () => Promise<CallerRoles>, actor: Actor) {
    const hidden = (link: { group_visibility: ProjectRow['visibility'] }) =>
      !isAdministrator(actor) && !isOpenTo(actor, { visibility: link.group_visibility })
    const concerned = [...relations].filter(({ links }) => links.some(hidden))
    if (concerned.length === 0) return
    const ids = concerned.flatMap(({ links }) => links.map((link) => link.group_id))
    const levels = await inheritedLevels(db, (await roles()).namespaces, ids)
    for (const of of concerned) of.links = of.links.filter((link) => !hidden(link) || levels.has(link.group_id))
  }

  /**
   * Loads the facts of a page.
   * @param rows the projects; those that carry their role already keep it
   * @param options.roles the caller's roles, where they are at hand
   */
  async function load(
    rows: readonly (ProjectRow | Project)[],
    actor: Actor,
    options: { roles?: CallerRoles; statistics?: boolean } = {},
  ): Promise<ProjectFacts[]> {
    let { roles } = options
    const findRoles = async () => {
      roles ??= await callerRoles(db, actor, today())
      return roles
    }
    const all = await withSources(db, rows)
    const ids = all.map(({ id }) => id)
    const [around, relations, issues, taken] = await Promise.all([
      surroundingsOf(db, ids),
      relationsOf(db, ids, today()),
      openIssues?.(ids, actor),
      options.statistics ? sizes?.(ids) : undefined,
    ])
    const without = all.filter((row) => !('role' in row))
    if (without.length > 0) giveRoles(without, await findRoles(), around, relations)
    await hideGroups(relations.values(), findRoles, actor)
    const owners = await usersByIds(
      db,
      [...around.values()].flatMap((one) => one.namespace_owner_id ?? []),
    )
    const loaded: Loaded = { around, relations, owners, issues, sizes: taken }
    const byId = new Map((all as Project[]).map((project) => [project.id, project]))
    return (rows as readonly Project[]).flatMap((project) => {
      const source = byId.get(project.forked_from_id ?? 0)
      const isVisible = source !== undefined && !source.pending_delete && canSee(actor, source)
      return factsOf(project, actor, loaded, isVisible ? factsOf(source, actor, loaded)[0] : undefined)
    })
  }

  return { load, callerRoles: (actor: Actor) => callerRoles(db, actor, today()), moment: () => now(clock) }
}
