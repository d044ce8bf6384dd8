import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Progress } from '../src/backup/index.ts'
import { checkInstallation } from '../src/check.ts'
import { startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ isOwn: true })
})
afterAll(() => server.stop())

type Step = { name: string; total: number | undefined; done: number }

/** Notes what is shown. */
function recording(): Progress & { steps: Step[] } {
  const steps: Step[] = []
  return {
    steps,
    step: (name, total) => void steps.push({ name, total, done: 0 }),
    advance(amount) {
      const last = steps.at(-1)
      if (last) last.done += amount
    },
    note() {},
  }
}

test('a check tells how many objects and repositories it has looked at', async () => {
  const form = (name: string) => {
    const made = new FormData()
    made.set('file', new Blob([name]), name)
    return made
  }
  for (const name of ['one', 'two', 'three']) {
    const { body } = await server.root.post('/projects', { name, initialize_with_readme: true })
    expect((await server.root.post(`/projects/${body.id}/uploads`, form(name))).status).toBe(201)
  }
  const progress = recording()
  expect(await checkInstallation(server.app.platform.config, progress)).toEqual([])
  expect(progress.steps).toEqual([
    { name: 'database', total: undefined, done: 0 },
    { name: 'rows and objects', total: 3, done: 3 },
    { name: 'repositories', total: 3, done: 3 },
  ])
})
