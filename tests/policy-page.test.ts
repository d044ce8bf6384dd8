/** The page with the policy, compared with the literal table of access rights. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserOf } from '../src/console/derived/testing.ts'
import { groupPolicy, projectPolicy } from '../src/modules/access/index.ts'
import { startTestServer, type TestServer } from '../src/testing/index.ts'
import { accessTables, type Caller } from './access-table.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const roles: Caller[] = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner']

/** Whether the cells of each row say yes, by ability. */
function rowsIn(table: string): Map<string, boolean[]> {
  const rows = [...table.matchAll(/<tr>(<td>.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell),
  )
  return new Map(
    rows.map(([ability = '', ...cells]) => [
      ability.replace(/<[^>]*>/g, ''),
      cells.map((cell) => cell.includes('aria-label="yes"')),
    ]),
  )
}

test('/docs/policy shows what each role may do in a private project or group', async () => {
  const response = await fetch(`${server.url}/docs/policy`, { headers: { Accept: 'text/html' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const text = await response.text()
  expect(text).toContain('<title>Who may do what · Fennec</title>')
  const [, projects = '', groups = ''] = text.split('<table')
  for (const [kind, table, policy] of [
    ['project', projects, projectPolicy],
    ['group', groups, groupPolicy],
  ] as const) {
    const rows = rowsIn(table)
    expect([...rows.keys()]).toEqual(Object.keys(policy))
    for (const [ability, [, ...cells]] of rows) {
      const allowed = roles.map((role) => accessTables[kind].outcome(ability, 'private', role) === 'allowed')
      expect([ability, cells.slice(0, roles.length)]).toEqual([ability, allowed])
    }
  }
})

test('x.policy has the same for programs, without credentials', async () => {
  const { body } = await server.anonymous.get('/policy')
  expect(body.projects.map(({ name }: { name: string }) => name)).toEqual(Object.keys(projectPolicy))
  expect(body.groups.map(({ name }: { name: string }) => name)).toEqual(Object.keys(groupPolicy))
  const push = body.projects.find(({ name }: { name: string }) => name === 'push_code')
  expect(push).toMatchObject({ least_role: 30, without_role: 'none' })
  expect(push.conditions).toContain('not while archived')
})

test('administrators have the page in their navigation, and others do not', async () => {
  const administrator = await browserOf(server, { id: 1 })
  const person = await browserOf(server, await server.user('someone'))
  const link = 'href="/docs/policy"'
  expect((await administrator.get('/explore')).html).toContain(link)
  expect((await person.get('/explore')).html).not.toContain(link)
  expect((await person.get('/docs/policy')).status).toBe(200)
})

test('other pages do not exist', async () => {
  for (const name of ['other', '__proto__', 'policy/x']) {
    expect((await fetch(`${server.url}/docs/${name}`)).status).toBe(404)
  }
})
