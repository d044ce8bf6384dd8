import type { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { DatabaseUnavailable } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { addIssues, exportsOf, type Line } from '../testing.ts'

// Objects have the time of the file system.
const clock = manualClock({ start: new Date().toISOString() })

let server: TestServer
let platform: Platform
let people: People
let place: string
beforeAll(async () => {
  server = await startTestServer({ clock })
  platform = server.app.platform
  people = await makePeople(server)
  const project = await server.make.project('exported', people.owner)
  place = `/projects/${project.id}`
  await addIssues(platform.database, project.id, people.owner.id, 1, 10)
})
afterAll(() => server.stop())

async function issues(): Promise<Line> {
  const { body } = await people.owner.get(`${exportsOf(place)}/status`)
  return body.find(({ relation }: Line) => relation === 'issues')
}

test('a database that goes away before the store has begun to read a file does not end the server', async () => {
  const { objects } = platform
  const { put } = objects
  const stray = vi.fn()
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', stray)
  const lost = new DatabaseUnavailable(new Error('Connection terminated unexpectedly'))
  const { 'issues.exported_epics': answer } = platform.ports
  Object.assign(platform.ports, { 'issues.exported_epics': () => Promise.reject(lost) })
  let failed = 0
  objects.put = async (key, content, options) => {
    const stream = content as Readable
    // As while the store waits for its folder or its bucket: nothing listens to the stream but for its data.
    await new Promise<void>((resolve) => stream.once('readable', resolve).once('close', resolve))
    if (stream.destroyed) failed += 1
    return put.call(objects, key, content, options)
  }
  try {
    expect((await people.owner.post(exportsOf(place))).status).toBe(202)
    await platform.jobs.drain()
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    expect(failed).toBeGreaterThan(0)
    expect(stray).not.toHaveBeenCalled()
    expect((await issues()).status).toBe(0)
  } finally {
    objects.put = put
    Object.assign(platform.ports, { 'issues.exported_epics': answer })
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }
  clock.advance(200_000)
  await platform.jobs.drain()
  expect((await issues()).status).toBe(1)
})
