import { sql } from 'kysely'
import { insertSearched, portionsOf } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { makePeople } from '../../../testing/index.ts'

/** One issue of the generated world, with what the model of the lists needs. */
export type WorldIssue = {
  id: number
  iid: number
  projectId: number
  title: string
  description: string | null
  state: 'opened' | 'closed'
  confidential: boolean
  issueType: string
  authorId: number
  createdAt: string
  updatedAt: string
  dueDate: string | null
  weight: number | null
  health: string | null
  milestoneId: number | null
  iterationId: number | null
  labels: string[]
  assigneeIds: number[]
  /** Reactions of the reader. */
  reactions: string[]
  upvotes: number
}

type WorldProject = {
  id: number
  public: boolean
  archived: boolean
  level: number
  inGroup: boolean
  priorities: Map<string, number>
}
type WorldMilestone = { id: number; title: string; state: string; start: string | null; due: string | null }
type WorldIteration = { id: number; title: string; start: string; due: string }

export type World = {
  reader: Person
  others: Person[]
  groupId: number
  /** The group above it, which has the same issues, and is listed as one with many projects. */
  largeGroupId: number
  projects: WorldProject[]
  milestones: WorldMilestone[]
  iterations: WorldIteration[]
  issues: WorldIssue[]
}

/** A generator of pseudo-random numbers (mulberry32): the same world for the same seed. */
export function generator(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const some = <T>(values: readonly T[], most: number): T[] => [
    ...new Set(Array.from({ length: below(most + 1) }, () => one(values))),
  ]
  return { next, below, one, some, chance: (share: number) => next() < share }
}
export type Random = ReturnType<typeof generator>

export const labelTitles = ['bug', 'ui', 'Bug', 'k::1', 'k::2', 'k::x::1', 'a_b', '100%']
const words = ['Über', 'quick', 'Fox', 'ab', 'x_y', '50%', 'naïve', 'Straße', 'log"in', '日本語テスト']

/** A public group that is said to have more projects than the instance has issues: the projects of it do not find its issues. */
export async function makeLargeGroup(server: TestServer, owner: Person) {
  const group = await server.make.group('large', owner, { visibility: 'public' })
  const total = { namespace_id: group.id, is_own: false, projects: 1_000_000 }
  await insertAll(server.app.platform, 'namespace_totals', [total])
  return group
}

/** Inserts rows in portions that every engine accepts. */
export async function insertAll(platform: Platform, table: string, rows: readonly Record<string, unknown>[]) {
  for (let from = 0; from < rows.length; from += 500) {
    await platform.database.write((tx) =>
      tx
        .insertInto(table as never)
        .values(rows.slice(from, from + 500) as never)
        .execute(),
    )
  }
}

/** Inserts copies of a project that have nothing but its columns. */
export async function copyProject({ database }: Platform, id: number, count: number): Promise<void> {
  const row = await database.read.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const numbered = ['name', 'path', 'full_path']
  const columns = Object.keys(row).filter((column) => column !== 'id')
  const values = columns.map((column) =>
    numbered.includes(column) ? sql`${sql.ref(column)} || '-copy' || n` : sql.ref(column),
  )
  await database.write((tx) =>
    sql`insert into projects (${sql.join(columns.map((column) => sql.ref(column)))})
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select ${sql.join(values)} from numbers cross join projects where id = ${id}`.execute(tx),
  )
}

const dayOf = (offset: number, today: string) =>
  new Date(Date.parse(`${today}T00:00:00Z`) + offset * 86_400_000).toISOString().slice(0, 10)

/** Makes projects of every visibility, labels, milestones, iterations and issues with random attributes. */
export async function makeWorld(server: TestServer, { count, seed }: { count: number; seed: number }): Promise<World> {
  const { platform } = server.app
  const random = generator(seed)
  const today = platform.clock.now().toISOString().slice(0, 10)
  const { owner, guest: reader, ...rest } = await makePeople(server)
  const others = [owner, rest.developer, rest.reporter]
  const large = await makeLargeGroup(server, owner)
  const group = await server.make.group('world', owner, { visibility: 'public', parent: large })
  const below = await server.make.group('below', owner, { visibility: 'public', parent: group })
  const projects: WorldProject[] = []
  const kinds = [
    { level: 10, visibility: 'private', namespace: group },
    { level: 20, visibility: 'private', namespace: below },
    { level: 0, visibility: 'private', namespace: below },
    { level: 0, visibility: 'public', namespace: below },
    { level: 0, visibility: 'public', namespace: group, archived: true },
    { level: 10, visibility: 'private', namespace: undefined },
  ] as const
  for (const [index, { level, visibility, namespace, ...kind }] of kinds.entries()) {
    const row = await server.make.project(`p${index}`, owner, { visibility, ...(namespace && { namespace }) })
    if (level > 0) await server.make.member({ project: row }, reader, level)
    const archived = 'archived' in kind
    if (archived) {
      await platform.database.write((tx) =>
        tx.updateTable('projects').set({ archived: true }).where('id', '=', row.id).execute(),
      )
    }
    const isPublic = visibility === 'public'
    projects.push({
      id: row.id,
      public: isPublic,
      archived,
      level,
      inGroup: namespace !== undefined,
      priorities: new Map(),
    })
  }
  const at = `${today}T00:00:00.000Z`
  const times = { created_at: at, updated_at: at }
  await insertAll(
    platform,
    'labels',
    labelTitles.map((title) => ({ namespace_id: group.id, title, color: '#ffffff', ...times })),
  )
  const labels = await platform.database.read.selectFrom('labels').select(['id', 'title']).execute()
  const labelIds = new Map(labels.map(({ id, title }) => [title, id]))
  for (const project of projects) {
    for (const title of random.some(labelTitles, 5)) project.priorities.set(title, random.below(4))
    await insertAll(
      platform,
      'label_priorities',
      [...project.priorities].map(([title, priority]) => ({
        project_id: project.id,
        label_id: labelIds.get(title),
        priority,
      })),
    )
  }
  const milestones: WorldMilestone[] = Array.from({ length: 8 }, (_, index) => ({
    id: index + 1,
    title: `v${index % 6}`,
    state: random.one(['active', 'active', 'closed']),
    start: random.one([null, dayOf(random.below(20) - 10, today)]),
    due: random.one([null, dayOf(random.below(20) - 10, today)]),
  }))
  await insertAll(
    platform,
    'milestones',
    milestones.map(({ id, title, state, start, due }) => ({
      ...{
        id,
        iid: id,
        namespace_id: id > 6 ? below.id : group.id,
        title,
        state,
        start_date: start,
        due_date: due,
        ...times,
      },
    })),
  )
  await insertAll(platform, 'iteration_cadences', [
    { id: 1, namespace_id: group.id, title: 'c', automatic: false, roll_over: false, active: true, ...times },
  ])
  const iterations: WorldIteration[] = [-10, 0, 10].map((start, index) => ({
    id: index + 1,
    title: `i${index}`,
    start: dayOf(start - 2, today),
    due: dayOf(start + 4, today),
  }))
  await insertAll(
    platform,
    'iterations',
    iterations.map(({ id, title, start, due }) => ({
      ...{ id, iid: id, namespace_id: group.id, cadence_id: 1, sequence: id, title, start_date: start, due_date: due },
      ...{ closed: false, ...times },
    })),
  )
  const people = [reader.id, ...others.map(({ id }) => id)]
  const text = () =>
    Array.from({ length: 1 + random.below(4) }, () => random.one(words)).join(random.one([' ', '  ', '\n']))
  const iids = new Map<number, number>()
  const issues: WorldIssue[] = Array.from({ length: count }, (_, index) => {
    const project = random.one(projects)
    const iid = (iids.get(project.id) ?? 0) + 1
    iids.set(project.id, iid)
    const moment = (spread: number) => new Date(Date.parse(at) - random.below(spread) * 3_600_000).toISOString()
    const rare = random.chance(0.01)
    return {
      ...{ id: index + 1, iid, projectId: project.id, title: text(), state: random.one(['opened', 'closed'] as const) },
      description: rare ? `${'long '.repeat(4_000)}${text()}` : random.one([null, text()]),
      confidential: random.chance(0.2),
      issueType: random.one(['issue', 'issue', 'issue', 'incident', 'test_case', 'task']),
      authorId: random.one(people),
      createdAt: moment(200),
      updatedAt: moment(200),
      dueDate: random.one([null, dayOf(random.below(90) - 45, today)]),
      weight: random.one([null, 0, random.below(4)]),
      health: random.one([null, null, 'on_track', 'needs_attention', 'at_risk']),
      milestoneId: random.one([null, random.one(milestones).id]),
      iterationId: random.one([null, random.one(iterations).id]),
      labels: random.some(labelTitles, 3),
      assigneeIds: random.some(people, 2),
      reactions: random.some(['thumbsup', 'tada'], 2),
      upvotes: 0,
    }
  })
  await storeIssues(platform, issues, { labelIds, reader, others, random, at })
  return { reader, others, groupId: group.id, largeGroupId: large.id, projects, milestones, iterations, issues }
}

async function storeIssues(
  platform: Platform,
  issues: WorldIssue[],
  {
    labelIds,
    reader,
    others,
    random,
    at,
  }: { labelIds: Map<string, number>; reader: Person; others: Person[]; random: Random; at: string },
) {
  await insertAll(
    platform,
    'issues',
    issues.map((one) => ({
      ...{ id: one.id, iid: one.iid, project_id: one.projectId, title: one.title, description: one.description },
      ...{ state: one.state, confidential: one.confidential, issue_type: one.issueType, author_id: one.authorId },
      ...{ created_at: one.createdAt, updated_at: one.updatedAt, due_date: one.dueDate, weight: one.weight },
      ...{ health_status: one.health, milestone_id: one.milestoneId, iteration_id: one.iterationId },
    })),
  )
  await platform.database.write(async (tx) => {
    for (const some of portionsOf(issues, 500)) await insertSearched(tx, 'issues', ...some)
  })
  const ref = (one: WorldIssue) => ({ issuable_type: 'Issue', issuable_id: one.id, project_id: one.projectId })
  await insertAll(
    platform,
    'issuable_labels',
    issues.flatMap((one) => one.labels.map((title) => ({ ...ref(one), label_id: labelIds.get(title) }))),
  )
  await insertAll(
    platform,
    'issuable_assignees',
    issues.flatMap((one) => one.assigneeIds.map((user_id, position) => ({ ...ref(one), user_id, position }))),
  )
  const awards = issues.flatMap((one) => {
    const voters = random.some(others, 3).map((person) => ({ userId: person.id, name: 'thumbsup' }))
    const own = one.reactions.map((name) => ({ userId: reader.id, name }))
    const given = [...voters, ...own]
    one.upvotes = given.filter(({ name }) => name === 'thumbsup').length
    return given.map(({ userId, name }) => ({
      ...{ noteable_type: 'Issue', noteable_id: one.id, project_id: one.projectId, user_id: userId, name },
      ...{ created_at: at, updated_at: at },
    }))
  })
  await insertAll(platform, 'award_emoji', awards)
  await platform.database.write(async (tx) => {
    // In operation PostgreSQL does it by itself. What other tests have left says nothing about these rows.
    if (tx.engine === 'postgres') await sql`analyze`.execute(tx)
  })
}
