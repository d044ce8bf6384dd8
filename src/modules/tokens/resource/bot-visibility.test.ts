import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { placeOfTokens, robotToken } from '../testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

describe('the bot of an access token', () => {
  test('sees internal projects and groups only where it is a member', async () => {
    const { owner, projectPath, groupPath } = await placeOfTokens(server, 'confined')
    const stranger = await server.user('internal_owner')
    const internal = { visibility: 'internal' } as const
    const group = await server.make.group('internal-group', stranger, internal)
    const project = await server.make.project('internal-project', stranger, internal)
    const paths = [`/projects/${project.id}`, `/projects/${project.id}/repository/branches`, `/groups/${group.id}`]
    const statuses = async (token: string) =>
      Promise.all(paths.map(async (path) => (await server.as(token).get(path)).status))

    expect(await statuses(owner.token)).toEqual([200, 200, 200])
    for (const path of [projectPath, groupPath]) {
      const { token } = (await owner.post(path, robotToken)).body
      expect(await statuses(token)).toEqual([404, 404, 404])
      const listed = async (kind: string) => (await server.as(token).get(`/${kind}?search=internal`)).body
      expect(await listed('projects')).toEqual([])
      expect(await listed('groups')).toEqual([])
    }
  })
})
