import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestServer } from '../../../testing/index.ts'
import { type ProjectWithHistory, projectWith, startWithHistory } from '../reading-testing.ts'

let server: TestServer
let owner: Person
let reporter: Person
let demo: ProjectWithHistory

beforeAll(async () => {
  ;({ server, owner, reporter, demo } = await startWithHistory([{}, { ref: 'refs/heads/v1' }]))
})
afterAll(() => server.stop())

describe('access to histories', () => {
  const rests = [
    ...['/commits', '/commits/main', '/commits/main/diff', '/commits/main/refs', '/commits/main/sequence'],
    ...['/commits/main/merge_requests', '/commits/main/signature', '/compare?from=main&to=v1', '/contributors'],
    '/merge_base?refs[]=main&refs[]=v1',
  ]

  test('is open to anonymous users of a public project, and answers 404 for a disabled repository', async () => {
    const open = await projectWith(server, owner, 'open', [{}, { ref: 'refs/heads/v1' }], { visibility: 'public' })
    for (const rest of rests) {
      expect((await server.anonymous.get(open.base + rest)).status).toBe(rest.endsWith('signature') ? 404 : 200)
    }
    await owner.put(`/projects/${open.project.id}`, { repository_access_level: 'disabled' })
    for (const rest of rests) {
      expect(await owner.get(open.base + rest)).toMatchObject({
        status: 404,
        body: { message: '404 Repository Not Found' },
      })
    }
  })

  test('requires a read scope', async () => {
    const reads = server.as(await server.make.token(reporter, ['read_api']))
    const cannot = server.as(await server.make.token(reporter, ['read_user']))
    expect((await reads.get(`${demo.base}/commits`)).status).toBe(200)
    expect((await cannot.get(`${demo.base}/commits`)).body).toMatchObject({ error: 'insufficient_scope' })
  })
})
