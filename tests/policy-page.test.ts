/** The page with the policy, compared with the literal table of access rights. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { groupPolicy, projectPolicy } from '../src/modules/access/index.ts'
import { startTestServer, type TestServer } from '../src/testing/index.ts'
import { accessTables, type Caller } from './access-table.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const roles: Caller[] = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner']

/** The cells of each row, by ability. */
function rowsIn(table: string): Map<string, string[]> {
  const rows = [...table.matchAll(/<tr>(<td>.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => cell),
  )
  return new Map(rows.map(([ability = '', ...cells]) => [ability, cells]))
}

test('/docs/policy shows what each role may do in a private project or group', async () => {
  const response = await fetch(`${server.url}/docs/policy`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const [, projects = '', groups = ''] = (await response.text()).split('<table')
  for (const [kind, table, policy] of [
    ['project', projects, projectPolicy],
    ['group', groups, groupPolicy],
  ] as const) {
    const rows = rowsIn(table)
    expect([...rows.keys()]).toEqual(Object.keys(policy))
    for (const [ability, [, ...cells]] of rows) {
      const allowed = roles.map((role) => accessTables[kind].outcome(ability, 'private', role) === 'allowed')
      expect([ability, cells.slice(0, roles.length).map((cell) => cell === 'yes')]).toEqual([ability, allowed])
    }
  }
})

test('other pages do not exist', async () => {
  for (const name of ['other', '__proto__', 'policy/x']) {
    expect((await fetch(`${server.url}/docs/${name}`)).status).toBe(404)
  }
})
