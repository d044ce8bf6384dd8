import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { type MailServer, startMailServer } from '../../../testing/mail.ts'
import { dueJob } from './project-work.ts'

let mails: MailServer
let server: TestServer
let people: ProjectWithMembers
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
  people = await projectWithMembers(server, { path: 'due' })
  await people.developer.put('/notification_settings', { level: 'custom', issue_due: true })
})
afterAll(async () => {
  await server.stop()
  await mails[Symbol.asyncDispose]()
})
afterEach(async () => {
  const { database } = server.app.platform
  await database.write(async (tx) => {
    await tx.deleteFrom('notification_runs').execute()
    await tx.deleteFrom('jobs').where('kind', '=', 'notifications.tell').execute()
    await tx.deleteFrom('issues').execute()
  })
})

let count = 0

/** Issues of the developer that are due tomorrow. @returns their ids */
async function dueTomorrow(many: number): Promise<number[]> {
  const due = new Date(clock.now().getTime() + 86_400_000).toISOString().slice(0, 10)
  const { database } = server.app.platform
  const at = clock.now().toISOString()
  const rows = Array.from({ length: many }, () => {
    count += 1
    const named = { project_id: people.project.id, iid: count, title: `Issue ${count}`, due_date: due }
    return { ...named, author_id: people.developer.id, created_at: at, updated_at: at }
  })
  const made = await database.write((tx) => tx.insertInto('issues').values(rows).returning('id').execute())
  return made.map(({ id }) => id).sort((a, b) => a - b)
}

/** The platform, whose jobs wait so long that what they tell can be read. @param before is called for each job that is stored */
function waiting(before: (count: number) => void = () => {}): Platform {
  const { jobs, ...others } = server.app.platform
  const runAt = new Date(clock.now().getTime() + 1_000_000_000_000)
  let stored = 0
  const enqueue: typeof jobs.enqueue = (tx, kind, payload, options) => {
    stored += 1
    before(stored)
    return jobs.enqueue(tx, kind, payload, { ...options, runAt })
  }
  return { ...others, jobs: { ...jobs, enqueue } }
}

const run = (platform: Platform = waiting(), signal: AbortSignal = new AbortController().signal) =>
  dueJob.run(platform, null, { jobId: 1, attempt: 1, signal })

/** The issues of which users are told, each as often as they are. */
async function told(): Promise<number[]> {
  const runs = await server.app.platform.database.read.selectFrom('notification_runs').select('occasion').execute()
  return runs.map(({ occasion }) => occasion.id).sort((a, b) => a - b)
}

const mailed = async () => {
  await server.app.platform.jobs.drain()
  return mails.received.splice(0).length
}

test('two runs at once tell of each issue once, in several portions', async () => {
  const ids = await dueTomorrow(450)
  await Promise.all([run(), run()])
  await run()
  expect(await told()).toEqual(ids)
})

test('a run that another one stopped goes on behind what was told', async () => {
  const ids = await dueTomorrow(450)
  let steps = 0
  const stops = new AbortController()
  const stopped = Object.assign(Object.create(stops.signal), {
    throwIfAborted() {
      steps += 1
      if (steps === 2) throw new Error('the process stops')
    },
  })
  await expect(run(waiting(), stopped)).rejects.toThrow('the process stops')
  expect(await told()).toEqual(ids.slice(0, 200))
  await run()
  expect(await told()).toEqual(ids)
})

test('a process that dies while it tells has told nothing of that portion', async () => {
  const ids = await dueTomorrow(3)
  const killed = waiting((count) => {
    if (count === 3) throw new Error('killed')
  })
  await expect(run(killed)).rejects.toThrow('killed')
  expect(await told()).toEqual([])
  await run()
  expect(await told()).toEqual(ids)
})

test('the mails of a day are sent once, and those of the next by the clock', async () => {
  mails.received.splice(0)
  await dueTomorrow(2)
  await run(server.app.platform)
  expect(await mailed()).toBe(2)
  // As after a process that died before the end of the job was recorded.
  await run(server.app.platform)
  expect(await mailed()).toBe(0)
  clock.advance(86_400_000)
  await dueTomorrow(1)
  await run(server.app.platform)
  expect(await mailed()).toBe(1)
})

test('what was told of is forgotten after a month', async () => {
  const days = async () => {
    const { read } = server.app.platform.database
    return (await read.selectFrom('notification_due_days').select('day').execute()).length
  }
  await dueTomorrow(1)
  await run(server.app.platform)
  clock.advance(20 * 86_400_000)
  await run(server.app.platform)
  expect(await days()).toBeGreaterThan(1)
  clock.advance(40 * 86_400_000)
  await run(server.app.platform)
  expect(await days()).toBe(1)
})
