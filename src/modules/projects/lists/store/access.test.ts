/** The conditions of lists select the projects that the policy opens to a caller. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Actor, anonymous } from '../../../../api/index.ts'
import type { Condition, Reader, TestUse } from '../../../../infra/database/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { actingUser, type UserRow, userById } from '../../../users/index.ts'
import { canSee, canUseFeature, may, withRole } from '../../core/access.ts'
import { callerOf, visibleProjects } from '../../core/lookup.ts'
import type { ProjectRow } from '../../tables.ts'
import { type Caller, plansAreReadable, visibleIds } from './access.ts'

const today = '2026-01-01'
const levels = ['enabled', 'private', 'disabled'] as const
const roles = { none: 0, guest: 10, planner: 15, reporter: 20 }
const uses: readonly TestUse[] = ['tests', 'counts']

let server: TestServer
let db: Reader
let projects: readonly ProjectRow[]
const callers: [name: string, actor: Actor, level: number][] = []

/** A project of each visibility and each level of its features, in one group, and one that is being deleted. */
beforeAll(async () => {
  server = await startTestServer()
  const { database } = server.app.platform
  db = database.read
  const owner = await server.user('owner')
  const group = await server.make.group('all', owner, { visibility: 'public' })
  const combinations = (['private', 'internal', 'public'] as const).flatMap((visibility) =>
    levels.flatMap((issues) =>
      levels.flatMap((requests) => levels.map((code) => ({ visibility, issues, requests, code }))),
    ),
  )
  await Promise.all(
    combinations.map(async ({ visibility, issues, requests, code }) => {
      const { id } = await server.make.project(`${visibility}-${issues}-${requests}-${code}`, owner, {
        namespace: group,
        visibility,
      })
      const settings = {
        issues_access_level: issues,
        merge_requests_access_level: requests,
        repository_access_level: code,
      }
      await database.write((tx) =>
        tx
          .updateTable('projects')
          .set({ settings: JSON.stringify(settings) })
          .where('id', '=', id)
          .execute(),
      )
    }),
  )
  const leaving = await server.make.project('leaving', owner, { namespace: group, visibility: 'public' })
  await database.write((tx) =>
    tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', leaving.id).execute(),
  )
  projects = await db.selectFrom('projects').selectAll().where('pending_delete', '=', false).execute()
  const actorOf = async ({ id }: Pick<Person, 'id'>) =>
    actingUser(server.app.platform, (await userById(db, id)) as UserRow)
  callers.push(['anonymous', anonymous, 0], ['root', await actorOf({ id: 1 }), 0])
  for (const [name, level] of Object.entries(roles)) {
    const person = await server.user(name)
    if (level > 0) await server.make.member({ namespace: group }, person, level)
    callers.push([name, await actorOf(person), level])
  }
})
afterAll(() => server.stop())

const idsWhere = async (condition: Condition) => {
  const rows = await db.selectFrom('projects').select('id').where(condition).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** The ids of the projects of which this is true, by the policy. */
async function idsOf(actor: Actor, holds: (project: Awaited<ReturnType<typeof withRole>>) => boolean) {
  const withRoles = await Promise.all(projects.map((row) => withRole(db, row, actor, today)))
  return withRoles
    .filter((project) => canSee(actor, project) && holds(project))
    .map(({ id }) => id)
    .sort((a, b) => a - b)
}

/** The caller, and once more with the level that is known of them in the group. */
async function knownAs(actor: Actor, level: number): Promise<Caller[]> {
  const caller = await callerOf(db, actor, today)
  return level > 0 ? [caller, { ...caller, least: level }] : [caller]
}

const names = ['anonymous', 'root', ...Object.keys(roles)]
const called = (name: string) => callers.find(([one]) => one === name) as (typeof callers)[number]

test.each(names)('labels and milestones are listed of the projects whose milestones %s may read', async (name) => {
  const [, actor, level] = called(name)
  const expected = await idsOf(actor, (project) => may(actor, project, 'read_milestones'))
  for (const caller of await knownAs(actor, level)) {
    for (const use of uses) expect(await idsWhere(plansAreReadable(db, caller, use))).toEqual(expected)
  }
})

test.each(names)('what needs two features is listed of the projects in which %s may use both', async (name) => {
  const [, actor, level] = called(name)
  const features = ['issues', 'repository'] as const
  const expected = await idsOf(actor, (project) => features.every((one) => canUseFeature(actor, project, one)))
  for (const caller of await knownAs(actor, level)) {
    for (const use of uses) {
      const [condition] = visibleProjects(db, caller, ['issues_access_level', 'repository_access_level'], use)
      expect(await idsWhere(condition as Condition)).toEqual(expected)
    }
  }
})

test.each(names)('the selects of what %s can see find all of that and nothing else', async (name) => {
  const [, actor] = called(name)
  const selects = visibleIds(db, await callerOf(db, actor, today))
  const found = new Set<number>()
  for (const select of selects) {
    const ids = await db.selectFrom(sql<{ id: number }>`(${select})`.as('seen')).select('id').execute()
    for (const { id } of ids) found.add(id)
  }
  const there = new Set(projects.map(({ id }) => id))
  expect([...found].filter((id) => there.has(id)).sort((a, b) => a - b)).toEqual(await idsOf(actor, () => true))
})
