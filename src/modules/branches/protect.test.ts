import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

let server: TestServer
let people: ProjectWithMembers
let base: string
let rules: string

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server, { path: 'demo' })
  const { project } = people
  base = `/projects/${project.id}/repository/branches`
  rules = `/projects/${project.id}/protected_branches`
  for (const branch of ['a', 'b', 'c', 'release/1']) await people.owner.post(base, { branch, ref: 'main' })
})
afterAll(() => server.stop())

const levels = (entries: { access_level: number }[]) => entries.map(({ access_level }) => access_level)

const ruleNamed = async (name: string) => {
  const { status, body } = await people.owner.get(`${rules}/${encodeURIComponent(name)}`)
  return status === 200 ? [levels(body.push_access_levels), levels(body.merge_access_levels)] : null
}

describe('x.branch_protect', () => {
  test('creates the rule with exactly this name, or changes its given lists', async () => {
    const made = await people.maintainer.put(`${base}/a/protect`)
    expect(made).toMatchObject({
      status: 200,
      body: { name: 'a', protected: true, developers_can_push: false, developers_can_merge: false, can_push: true },
    })
    expect(await ruleNamed('a')).toEqual([[40], [40]])
    const pushed = await people.maintainer.put(`${base}/a/protect`, { developers_can_push: true })
    expect(pushed.body).toMatchObject({ developers_can_push: true, developers_can_merge: false })
    const merged = await people.maintainer.put(`${base}/a/protect?developers_can_merge=true`)
    expect(merged.body).toMatchObject({ developers_can_push: true, developers_can_merge: true })
    expect((await people.maintainer.put(`${base}/a/protect`)).body).toEqual(merged.body)
    expect((await people.developer.get(`${base}/a`)).body.can_push).toBe(true)
    const closed = await people.maintainer.put(`${base}/a/protect`, { developers_can_push: false })
    expect(closed.body).toMatchObject({ developers_can_push: false, developers_can_merge: true })
    expect((await people.developer.get(`${base}/a`)).body.can_push).toBe(false)
    expect(await ruleNamed('a')).toEqual([[40], [30]])
  })

  test('accepts any name, and concurrent requests', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => people.maintainer.put(`${base}/release%2F1/protect`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await ruleNamed('release/1')).toEqual([[40], [40]])
  })

  test('requires an existing branch and a maintainer', async () => {
    expect(await people.maintainer.put(`${base}/nope/protect`)).toMatchObject({
      status: 404,
      body: { message: '404 Branch Not Found' },
    })
    expect((await people.maintainer.put(`${base}/a..b/protect`)).body).toEqual({
      message: 'The branch refname is invalid',
    })
    expect((await people.maintainer.put(`${base}/b/protect`, { developers_can_push: 'x' })).body.error).toBe(
      'developers_can_push is invalid',
    )
    for (const action of ['protect', 'unprotect']) {
      expect((await people.developer.put(`${base}/b/${action}`)).status).toBe(403)
      expect((await server.anonymous.put(`${base}/b/${action}`)).status).toBe(401)
    }
    expect(await ruleNamed('b')).toBeNull()
  })

  test('respects the unprotect list of a rule', async () => {
    await people.owner.post(rules, { name: 'c', allowed_to_unprotect: [{ user_id: people.owner.id }] })
    expect((await people.maintainer.put(`${base}/c/protect`, { developers_can_push: true })).status).toBe(403)
    expect((await people.maintainer.put(`${base}/c/unprotect`)).status).toBe(403)
    expect((await people.owner.put(`${base}/c/protect`, { developers_can_push: true })).status).toBe(200)
    expect((await people.owner.put(`${base}/c/unprotect`)).body.protected).toBe(false)
  })
})

describe('x.branch_unprotect', () => {
  test('deletes the rule with exactly this name, and accepts that there is none', async () => {
    await people.owner.post(rules, { name: '*b' })
    await people.maintainer.put(`${base}/b/protect`)
    expect((await people.maintainer.put(`${base}/b/unprotect`)).body).toMatchObject({ name: 'b', protected: true })
    expect(await ruleNamed('b')).toBeNull()
    await people.owner.delete(`${rules}/*b`)
    const again = await people.maintainer.put(`${base}/b/unprotect`)
    expect(again).toMatchObject({ status: 200, body: { protected: false, developers_can_push: false } })
    expect((await people.maintainer.put(`${base}/nope/unprotect`)).status).toBe(404)
  })
})

test('a list of branches shows their protection in a constant number of queries', async () => {
  await people.owner.post(rules, { name: 'm*', push_access_level: 30, merge_access_level: 0 })
  const list = () => people.developer.get(`${base}?per_page=100`)
  const queries = await queriesOf(server, list)
  const { body } = await list()
  const main = body.find(({ name }: { name: string }) => name === 'main')
  expect(main).toMatchObject({
    protected: true,
    developers_can_push: true,
    developers_can_merge: false,
    can_push: true,
  })
  for (let index = 0; index < 20; index += 1) {
    await people.owner.post(base, { branch: `many/${index}`, ref: 'main' })
    await people.owner.post(rules, { name: `many/${index}`, allowed_to_push: [{ user_id: people.developer.id }] })
  }
  const more = await list()
  expect(more.body).toHaveLength(body.length + 20)
  expect(await queriesOf(server, list)).toBe(queries)
})
