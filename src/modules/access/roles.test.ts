/** Compares the role queries with a model that walks random trees with members, invitations and expiries. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, type PredicateUse, type Reader, within } from '../../infra/database/index.ts'
import { freshDatabase } from '../../testing/database.ts'
import { insertNamespace, type NamespaceRow } from '../namespaces/index.ts'
import { createUserRows } from '../users/index.ts'
import type { Permission } from './permissions.ts'
import { memberLevels } from './policy.ts'
import { effectiveMemberships, type MemberSource } from './store/memberships.ts'
import {
  inheritedLevels,
  levelsOf,
  type OwnRoles,
  ownRoles,
  permissionsInProjects,
  projectLevels,
  reachesNamespace,
  reachesProject,
} from './store/reach.ts'
import { roleInGroup, roleInProject, standingInGroup } from './store/roles.ts'

const today = '2026-05-15'
const moment = '2026-05-15T10:00:00.000Z'
const userCount = 3
/** For machines under load: each world takes many small queries. */
const timeoutMs = 120_000

/** Indices throughout: `group` numbers the groups, `namespace` those and after them the users' own. */
type Grant = { level: number; expires: string | null; permission: Permission | null }
type Membership = Grant & { user: number }
type Link = Grant & { invited: number }
type World = {
  /** Parent of each group; only earlier ones, so there are no circles. */
  parents: (number | null)[]
  /** The namespace of each project. */
  projects: number[]
  groupMembers: (Membership & { group: number })[]
  projectMembers: (Membership & { project: number })[]
  groupLinks: (Link & { group: number })[]
  projectLinks: (Link & { project: number })[]
}

/** Each is that of one member role of the instance; most memberships and invitations have none. */
const granted = ['read_code', 'admin_web_hook', 'admin_runners'] as const

const expiries = fc.constantFrom(null, null, '2026-05-14', today, '2026-05-16')
const levels = fc.constantFrom(...memberLevels)

const worlds: fc.Arbitrary<World> = fc.integer({ min: 1, max: 7 }).chain((groups) =>
  fc.integer({ min: 1, max: 5 }).chain((projects) => {
    const group = fc.nat(groups - 1)
    const project = fc.nat(projects - 1)
    const user = fc.nat(userCount - 1)
    const parents = Array.from({ length: groups }, (_, index) =>
      index === 0 ? fc.constant(null) : fc.option(fc.nat(index - 1), { freq: 3 }),
    )
    const namespaces = Array.from({ length: projects }, () => fc.nat(groups + userCount - 1))
    const permission = fc.option(fc.constantFrom(...granted), { freq: 1 })
    const of = { level: levels, expires: expiries, permission }
    return fc.record({
      parents: fc.tuple(...parents),
      projects: fc.tuple(...namespaces),
      groupMembers: once(fc.record({ user, group, ...of }), (one) => `${one.user} ${one.group}`),
      projectMembers: once(fc.record({ user, project, ...of }), (one) => `${one.user} ${one.project}`),
      groupLinks: once(fc.record({ invited: group, group, ...of }), (one) => `${one.invited} ${one.group}`),
      projectLinks: once(fc.record({ invited: group, project, ...of }), (one) => `${one.invited} ${one.project}`),
    })
  }),
)

function once<T>(item: fc.Arbitrary<T>, key: (value: T) => string): fc.Arbitrary<T[]> {
  return fc.uniqueArray(item, { maxLength: 8, selector: key })
}

/** What should come out, found by walking. */
function modelOf(world: World) {
  const isLive = ({ expires }: { expires: string | null }) => expires === null || expires > today
  /** Minimal access (5) is no role. */
  const counts = (one: { expires: string | null; level: number }) => isLive(one) && one.level > 5
  const highest = (found: number[]) => Math.max(0, ...found)
  /** A namespace and everything above it. */
  const line = (namespace: number): number[] => {
    const parent = world.parents[namespace] ?? null
    return parent === null ? [namespace] : [namespace, ...line(parent)]
  }
  const memberLevel = (user: number, group: number) =>
    highest(
      world.groupMembers
        .filter((one) => one.user === user && one.group === group && counts(one))
        .map((one) => one.level),
    )
  /** As member of a group or of one above it; what counts when the group is invited somewhere. */
  const inheritedLevel = (user: number, group: number) => highest(line(group).map((above) => memberLevel(user, above)))
  const shared = (user: number, links: Link[]) =>
    highest(links.filter(counts).map((link) => Math.min(link.level, inheritedLevel(user, link.invited))))
  const isOwn = (user: number, namespace: number) => namespace === world.parents.length + user
  const ownInNamespace = (user: number, namespace: number) =>
    highest([
      isOwn(user, namespace) ? 50 : 0,
      memberLevel(user, namespace),
      shared(
        user,
        world.groupLinks.filter((link) => link.group === namespace),
      ),
    ])
  const inNamespace = (user: number, namespace: number) =>
    highest(line(namespace).map((above) => ownInNamespace(user, above)))
  const ownInProject = (user: number, project: number) =>
    highest([
      ...world.projectMembers
        .filter((one) => one.user === user && one.project === project && counts(one))
        .map((one) => one.level),
      shared(
        user,
        world.projectLinks.filter((link) => link.project === project),
      ),
    ])
  const permissionsOf = (grants: readonly Grant[]) =>
    grants.flatMap((one) => (counts(one) && one.permission ? [one.permission] : []))
  /** Members of an invited group get its role where they reach the level of the invitation. */
  const permissionsShared = (user: number, links: readonly Link[]) =>
    permissionsOf(links.filter((link) => inheritedLevel(user, link.invited) >= link.level))
  const permissionsInNamespace = (user: number, namespace: number): Permission[] =>
    line(namespace).flatMap((above) => [
      ...permissionsOf(world.groupMembers.filter((one) => one.user === user && one.group === above)),
      ...permissionsShared(
        user,
        world.groupLinks.filter((link) => link.group === above),
      ),
    ])
  const permissionsInProject = (user: number, project: number): Permission[] => [
    ...permissionsOf(world.projectMembers.filter((one) => one.user === user && one.project === project)),
    ...permissionsShared(
      user,
      world.projectLinks.filter((link) => link.project === project),
    ),
    ...permissionsInNamespace(user, world.projects[project] ?? 0),
  ]
  const isMinimal = (user: number, group: number) =>
    world.groupMembers.some((one) => one.user === user && one.group === group && one.level === 5 && isLive(one))
  return { inNamespace, ownInNamespace, ownInProject, permissionsInNamespace, permissionsInProject, isOwn, isMinimal }
}

let worldsBuilt = 0
let roleIds: ReadonlyMap<Permission | null, number>

/** A member role for each permission. @returns their ids */
async function makeRoles(database: Database) {
  const rows = granted.map((name) => ({
    ...{ namespace_id: null, name, base_access_level: 10, created_at: moment },
    permissions: JSON.stringify([name]),
  }))
  const made = await database.write((tx) =>
    tx.insertInto('member_roles').values(rows).returning(['id', 'name']).execute(),
  )
  return new Map(made.map(({ id, name }) => [name as Permission, id]))
}

/** Inserts a world beside the earlier ones. @returns the ids by index */
async function build(database: Database, world: World) {
  worldsBuilt += 1
  const mark = `w${worldsBuilt}-`
  return database.write(async (tx) => {
    const users: number[] = []
    for (let index = 0; index < userCount; index += 1) {
      const person = { username: `${mark}u${index}`, name: 'person', email: `${mark}u${index}@example.com` }
      users.push(
        (await createUserRows(tx, { ...person, confirmed_at: moment, projects_limit: 1, created_at: moment })).id,
      )
    }
    const groups: NamespaceRow[] = []
    for (const [index, parent] of world.parents.entries()) {
      const place = { parent: parent === null ? null : (groups[parent] ?? null), ownerId: null, now: moment }
      const named = {
        kind: 'group' as const,
        name: `g${index}`,
        path: `${mark}g${index}`,
        visibility: 'private' as const,
      }
      groups.push(await insertNamespace(tx, { ...named, ...place }))
    }
    const own = await tx
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', 'in', users)
      .orderBy('owner_id')
      .execute()
    const namespaces = [...groups, ...own].map(({ id }) => id)
    const projects: number[] = []
    for (const [index, namespace] of world.projects.entries()) {
      const dates = { last_activity_at: moment, created_at: moment, updated_at: moment }
      const named = {
        name: `p${index}`,
        path: `p${index}`,
        full_path: `${mark}p${index}`,
        visibility: 'private' as const,
      }
      const row = { ...named, namespace_id: namespaces[namespace] ?? 0, creator_id: null, settings: '{}', ...dates }
      projects.push((await tx.insertInto('projects').values(row).returning('id').executeTakeFirstOrThrow()).id)
    }
    const at = (ids: number[], index: number) => ids[index] ?? 0
    const members = [
      ...world.groupMembers.map((one) => ({ ...one, place: { namespace_id: at(namespaces, one.group) } })),
      ...world.projectMembers.map((one) => ({ ...one, place: { project_id: at(projects, one.project) } })),
    ]
    const roleOf = (permission: Permission | null) => roleIds.get(permission) ?? null
    for (const { user, level, expires, permission, place } of members) {
      const grant = { access_level: level, expires_at: expires, member_role_id: roleOf(permission) }
      const row = { ...place, ...grant, user_id: at(users, user), created_at: moment }
      await tx.insertInto('members').values(row).execute()
    }
    const links = [
      ...world.groupLinks.map((one) => ({ ...one, place: { namespace_id: at(namespaces, one.group) } })),
      ...world.projectLinks.map((one) => ({ ...one, place: { project_id: at(projects, one.project) } })),
    ]
    for (const { invited, level, expires, permission, place } of links) {
      const grant = { access_level: level, expires_at: expires, member_role_id: roleOf(permission) }
      const row = { ...place, ...grant, group_id: at(namespaces, invited) }
      await tx
        .insertInto('group_links')
        .values({ ...row, created_at: moment })
        .execute()
    }
    return { users, namespaces, projects }
  })
}

/** Leaves out level 0: the maps have no entry for users without a role. */
function nonZero(entries: [number, number][]): [number, number][] {
  return entries.filter(([, level]) => level > 0).toSorted(([a], [b]) => a - b)
}

const someLevels = [0, 1, 20, 30, 50]
const numerically = (a: number, b: number) => a - b

type Asked = { least: number; namespaces: number[]; projects: number[] }

/** Which of these namespaces and projects the conditions let through. */
async function reachedBy(db: Reader, roles: OwnRoles, { least, namespaces, projects }: Asked, use: PredicateUse) {
  const { rows: places } = await sql<{ id: number }>`select id from namespaces where ${within(db, 'id', namespaces)}
    and ${reachesNamespace(db, roles, sql.ref('namespaces.id'), least, use)} order by id`.execute(db as never)
  const { rows } = await sql<{ id: number }>`select id from projects where ${within(db, 'id', projects)}
    and ${reachesProject(db, roles, sql.ref('projects.id'), least, use)} order by id`.execute(db as never)
  return { namespaces: places.map(({ id }) => id), projects: rows.map(({ id }) => id) }
}

describe('the role queries', () => {
  let database: Database & AsyncDisposable
  beforeAll(async () => {
    database = await freshDatabase()
    roleIds = await makeRoles(database)
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test(
    'agree with the model',
    async () => {
      const db = () => database.read
      await fc.assert(
        fc.asyncProperty(worlds, async (world) => {
          const { users, namespaces, projects } = await build(database, world)
          const model = modelOf(world)
          for (const [user, userId] of users.entries()) {
            const expectedNamespaces = namespaces.map((id, index): [number, number] => [
              id,
              model.ownInNamespace(user, index),
            ])
            const roles = await ownRoles(db(), userId, today)
            expect(nonZero([...(roles.loaded?.namespaces ?? [])])).toEqual(nonZero(expectedNamespaces))
            const expectedProjects = projects.map((id, index): [number, number] => [
              id,
              model.ownInProject(user, index),
            ])
            expect(nonZero([...(roles.loaded?.projects ?? [])])).toEqual(nonZero(expectedProjects))
            const notLoaded: OwnRoles = { loaded: null, holder: { userId, today } }
            expect(nonZero([...(await projectLevels(db(), notLoaded, projects))])).toEqual(nonZero(expectedProjects))
            const inherited = await inheritedLevels(db(), roles, namespaces)
            for (const [index, id] of namespaces.entries()) {
              const level = model.inNamespace(user, index)
              expect(inherited.get(id) ?? 0).toBe(level)
              expect(await roleInGroup(db(), userId, id, today)).toBe(level)
              const permissions = new Set(model.permissionsInNamespace(user, index))
              expect(await standingInGroup(db(), userId, id, today)).toEqual({ level, permissions })
            }
            expect(nonZero([...(await levelsOf(db(), { userId, today }, namespaces))])).toEqual(nonZero([...inherited]))
            const least = someLevels[(user + worldsBuilt) % someLevels.length] ?? 0
            const reach = { least, namespaces, projects }
            const reached = await reachedBy(db(), roles, reach, 'drives')
            expect(reached).toEqual({
              namespaces: namespaces
                .filter((_, index) => model.inNamespace(user, index) >= Math.max(least, 10))
                .toSorted(numerically),
              projects: projects.filter((_, index) => model.ownInProject(user, index) >= Math.max(least, 10)),
            })
            for (const use of ['counts', 'tests'] as const) {
              expect(await reachedBy(db(), roles, reach, use)).toEqual(reached)
              expect(await reachedBy(db(), notLoaded, reach, use)).toEqual(reached)
            }
            expect(await reachedBy(db(), notLoaded, reach, 'drives')).toEqual(reached)
            const places = projects.map((id, index) => ({
              id,
              namespace_id: namespaces[world.projects[index] ?? 0] ?? 0,
            }))
            const permitted = await permissionsInProjects(db(), roles, places)
            for (const [index, id] of projects.entries()) {
              const namespace = world.projects[index] ?? 0
              const permissions = new Set(model.permissionsInProject(user, index))
              expect(permitted.get(id) ?? new Set()).toEqual(permissions)
              const isOwn = model.isOwn(user, namespace)
              const groupLevel = isOwn ? 0 : model.inNamespace(user, namespace)
              const projectLevel = Math.max(isOwn ? 50 : 0, model.ownInProject(user, index))
              const found = await roleInProject(db(), userId, { id, namespace_id: namespaces[namespace] ?? 0 }, today)
              expect(found).toEqual({
                level: Math.max(projectLevel, groupLevel),
                projectLevel: projectLevel || null,
                groupLevel: groupLevel || null,
                permissions,
              })
            }
          }
        }),
        { numRuns: 40 },
      )
    },
    timeoutMs,
  )

  test(
    'agree with the lists of members',
    async () => {
      await fc.assert(
        fc.asyncProperty(worlds, async (world) => {
          const { users, namespaces, projects } = await build(database, world)
          const model = modelOf(world)
          const listed = async (source: MemberSource) => {
            const { rows } = await effectiveMemberships(database.read, source, { today }).execute(
              database.read as never,
            )
            return nonZero(rows.map((row): [number, number] => [row.user_id, row.access_level]))
          }
          for (const [index, id] of namespaces.entries()) {
            const expected = users.map((userId, user): [number, number] => [
              userId,
              Math.max(model.inNamespace(user, index), model.isMinimal(user, index) ? 5 : 0),
            ])
            expect(await listed({ kind: 'group', id, namespaceId: id })).toEqual(nonZero(expected))
          }
          for (const [index, id] of projects.entries()) {
            const namespace = world.projects[index] ?? 0
            const expected = users.map((userId, user): [number, number] => [
              userId,
              Math.max(model.ownInProject(user, index), model.inNamespace(user, namespace)),
            ])
            const source: MemberSource = { kind: 'project', id, namespaceId: namespaces[namespace] ?? 0 }
            expect(await listed(source)).toEqual(nonZero(expected))
          }
        }),
        { numRuns: 40 },
      )
    },
    timeoutMs,
  )
})
