import { afterAll, beforeAll, expect, test } from 'vitest'
import { GitError } from '../../../infra/git/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test.each([
  ['a full disk', 'fatal: unable to write: No space left on device', 507],
  ['no file descriptors', 'fatal: cannot open pack: Too many open files', 503],
])('git that fails by %s is answered so', async (_what, stderr, status) => {
  const owner = await server.user(`owner${status}`)
  await server.make.project('p', owner)
  const { git } = server.app.platform
  const original = git.repository
  const advertise = () => Promise.reject(new GitError('command_failed', 'git failed', { stderr }))
  Object.assign(git, { repository: (...given: [never]) => ({ ...original(...given), advertise }) })
  try {
    const url = `${server.url}/owner${status}/p.git/info/refs?service=git-upload-pack`
    const answer = await fetch(url, { headers: { Authorization: `Basic ${btoa(`u:${owner.token}`)}` } })
    expect(answer.status).toBe(status)
    expect(answer.headers.has('retry-after')).toBe(status === 503)
  } finally {
    Object.assign(git, { repository: original })
  }
})
