import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRow, refsOf, repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  openWorkTree,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const rulesOf = async ({ owner, project }: ProjectWithMembers) =>
  (await owner.get(`/projects/${project.id}/protected_branches`)).body

const levels = (entries: { access_level: number }[]) => entries.map(({ access_level }) => access_level)

const summary = (rules: { name: string; allow_force_push: boolean }[]) =>
  rules.map((rule) => {
    const { name, push_access_levels, merge_access_levels, unprotect_access_levels, allow_force_push } = rule as never
    return [
      name,
      levels(push_access_levels),
      levels(merge_access_levels),
      levels(unprotect_access_levels),
      allow_force_push,
    ]
  })

describe('the first push to a project', () => {
  test('creates a rule for the default branch; later pushes create none', async () => {
    const people = await projectWithMembers(server)
    await using work = await openWorkTree(server, people.project)
    await work.commit()
    expect(await work.push(people.maintainer, 'main:refs/heads/work', 'main')).toMatchObject({ isAccepted: true })
    const [rule, ...others] = await rulesOf(people)
    expect(summary([rule])).toEqual([['main', [40], [40], [40], false]])
    expect(others).toEqual([])
    expect(Object.keys(rule)).not.toContain('inherited')
    expect((await people.maintainer.delete(`/projects/${people.project.id}/protected_branches/main`)).status).toBe(204)
    expect(await work.push(people.maintainer, 'main:refs/heads/more')).toMatchObject({ isAccepted: true })
    const changed = await people.owner.put(`/projects/${people.project.id}`, { default_branch: 'work' })
    expect(changed.status).toBe(200)
    expect(await rulesOf(people)).toEqual([])
  })

  test('protects the branch that becomes the default branch, whatever its name', async () => {
    const people = await projectWithMembers(server)
    await using work = await openWorkTree(server, people.project)
    await work.commit()
    expect(await work.push(people.owner, 'main:refs/heads/trunk')).toMatchObject({ isAccepted: true })
    expect(summary(await rulesOf(people)).map(([name]) => name)).toEqual(['trunk'])
  })

  test('creates no rule when one matches already', async () => {
    const people = await projectWithMembers(server)
    const path = `/projects/${people.project.id}/protected_branches`
    expect((await people.owner.post(path, { name: 'ma*', push_access_level: 30 })).status).toBe(201)
    await using work = await openWorkTree(server, people.project)
    await work.commit()
    expect(await work.push(people.developer, 'main')).toMatchObject({ isAccepted: true })
    expect(summary(await rulesOf(people))).toEqual([['ma*', [30], [40], [40], false]])
  })

  test('is refused to developers when they could not push again', async () => {
    const people = await projectWithMembers(server)
    await using work = await openWorkTree(server, people.project)
    await work.commit()
    const { sentences, isAccepted } = await work.push(people.developer, 'main:refs/heads/feature')
    expect(isAccepted).toBe(false)
    expect(sentences).toEqual([
      `A default branch (e.g. main) does not yet exist for ${people.path}`,
      `Ask a project Owner or Maintainer to create a default branch: ${server.url}/${people.path}/-/project_members`,
    ])
    const branch = { branch: 'x', ref: 'main' }
    const answer = await people.developer.post(`/projects/${people.project.id}/repository/branches`, branch)
    expect(answer).toMatchObject({ status: 400, body: { message: sentences.join('\n') } })
    expect(await rulesOf(people)).toEqual([])
  })

  test('through the API also protects the branch', async () => {
    const people = await projectWithMembers(server)
    const branch = { branch: 'x', ref: 'main' }
    expect((await people.maintainer.post(`/projects/${people.project.id}/repository/branches`, branch)).status).toBe(
      201,
    )
    expect(summary(await rulesOf(people)).map(([name]) => name)).toEqual(['main'])
    const made = await people.owner.post('/projects', {
      name: `made${people.project.id}`,
      initialize_with_readme: true,
    })
    expect(made.status).toBe(201)
    expect((await people.owner.get(`/projects/${made.body.id}/protected_branches`)).body).toHaveLength(1)
  })

  test('by an administrator needs no role', async () => {
    const people = await projectWithMembers(server)
    const branch = { branch: 'x', ref: 'main' }
    expect((await server.root.post(`/projects/${people.project.id}/repository/branches`, branch)).status).toBe(201)
  })
})

describe('the default protection level of a group', () => {
  /** Which roles may push first to the group's project, and the rule that results. */
  async function withLevel(level: number) {
    const founder = await server.user(`founder${level}`)
    const namespace = await server.make.group(`level${level}`, founder)
    const set = await founder.put(`/groups/${namespace.id}`, { default_branch_protection: level })
    expect(set.status).toBe(200)
    const people = await projectWithMembers(server, { namespace })
    await using work = await openWorkTree(server, people.project)
    await work.commit()
    const { isAccepted } = await work.push(people.developer, 'main')
    if (!isAccepted) expect(await work.push(people.maintainer, 'main')).toMatchObject({ isAccepted: true })
    return { byDeveloper: isAccepted, rules: summary(await rulesOf(people)) }
  }

  test.each([
    [0, true, []],
    [1, true, [['main', [30], [30], [40], false]]],
    [2, false, [['main', [40], [40], [40], false]]],
    [3, false, [['main', [40], [30], [40], false]]],
    [4, true, [['main', [40], [40], [40], false]]],
  ])('%d', async (level, byDeveloper, rules) => {
    expect(await withLevel(level)).toEqual({ byDeveloper, rules })
  })
})

test('the default protection level of the instance applies to personal projects', async () => {
  await using other = await startTestServer()
  expect((await other.root.put('/application/settings', { default_branch_protection: 1 })).status).toBe(200)
  const people = await projectWithMembers(other)
  await using work = await openWorkTree(other, people.project)
  await work.commit()
  expect(await work.push(people.developer, 'main')).toMatchObject({ isAccepted: true })
  const { body } = await people.owner.get(`/projects/${people.project.id}/protected_branches`)
  expect(summary(body)).toEqual([['main', [30], [30], [40], false]])
})

test('the default branch of a fork is protected too', async () => {
  const people = await projectWithMembers(server)
  await using work = await openWorkTree(server, people.project)
  await work.commit()
  expect(await work.push(people.owner, 'main')).toMatchObject({ isAccepted: true })
  const forked = await people.developer.post(`/projects/${people.project.id}/fork`)
  expect(forked.status).toBe(201)
  await server.app.platform.jobs.drain()
  const { body } = await people.developer.get(`/projects/${forked.body.id}/protected_branches`)
  expect(summary(body)).toEqual([['main', [40], [40], [40], false]])
})

test('recording a change twice creates one rule', async () => {
  const people = await projectWithMembers(server)
  await using work = await openWorkTree(server, people.project)
  await work.commit()
  expect(await work.push(people.owner, 'main')).toMatchObject({ isAccepted: true })
  const { database, gate } = server.app.platform
  const row = await repositoryOfProject(database.read, people.project.id)
  if (!row) throw new Error('no repository')
  const repository = await openRow(server.app.platform, row)
  const { branches } = await refsOf(server.app.platform, row)
  const changes = branches.map(({ name, oid }) => ({
    ref: `refs/heads/${name}`,
    old: '0'.repeat(40),
    new: oid,
  })) as never
  for (const listener of gate.listeners.slice(0, 2)) {
    const applied = { row, repository, changes, writer: { userId: people.owner.id, via: 'git' as const } }
    const record = await listener.prepare?.(server.app.platform, applied)
    if (record) await database.write(record)
  }
  expect(await rulesOf(people)).toHaveLength(1)
})
