import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Oid, type RefName, refName } from '../../../infra/git/index.ts'
import { onPostgres, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { Platform, RefListener } from '../../index.ts'
import { openRow } from '../on-disk.ts'
import { deleteIntent, insertIntent, lockOpenIntent, lockRivals } from '../store/intents.ts'
import { repositoryOfProject } from '../store/repositories.ts'
import { changeRefs, pushGate } from './gate.ts'
import { othersHaveWritten } from './other-writers.ts'
import { settleEnded } from './recovery.ts'

const zero = '0'.repeat(40) as Oid

let server: TestServer
/** The project that the present test works on. */
let project: { id: number }
let count = 0

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  project = (await server.root.post('/projects', { name: `ended-${count}`, initialize_with_readme: true })).body
})

/** Another process, to which these have ended. */
function another(ended: readonly string[], clock = manualClock({ start: new Date() })): Platform {
  const { platform } = server.app
  const presence = {
    ...platform.presence,
    name: () => 'another',
    hasEnded: async (name: string) => ended.includes(name),
  }
  return { ...platform, clock, presence }
}

async function opened() {
  const { platform } = server.app
  const row = await repositoryOfProject(platform.database.read, project.id)
  if (!row) throw new Error('no repository')
  const repository = await openRow(platform, row)
  const head = (await repository.refs(row.generation)).branch('main')?.oid
  if (!head) throw new Error('no branch')
  return { row, repository, head }
}

/** The intent of a process, for new branches. */
async function intend(process: string, ...branches: string[]) {
  const { row, head } = await opened()
  const updates = branches.map((name) => ({ ref: `refs/heads/${name}`, old: zero, new: head }))
  const intent = { repositoryId: row.id, userId: null, updates, process, now: new Date().toISOString() }
  return server.app.platform.database.write((tx) => insertIntent(tx, intent))
}

/** Moves refs as git does, without a record. */
async function move(...branches: string[]) {
  const { repository, head } = await opened()
  await repository.updateRefs(
    branches.map((name) => ({ ref: refName(`refs/heads/${name}`) as RefName, old: zero, new: head })),
  )
}

async function open() {
  const { row } = await opened()
  const intents = server.app.platform.database.read.selectFrom('ref_intents').select('process')
  const left = await intents.where('repository_id', '=', row.id).where('settled', '=', false).execute()
  return left.map(({ process }) => process).sort()
}

const branches = async () => {
  const { body } = await server.root.get(`/projects/${project.id}/repository/branches`)
  return body.map(({ name }: { name: string }) => name)
}
const generation = async () => (await opened()).row.generation
const createdBranches = async () => {
  const { body } = await server.root.get(`/projects/${project.id}/events?action=pushed&per_page=100`)
  return body.filter(({ push_data: data }: { push_data: { action: string } }) => data.action === 'created').length
}

test('while a change is not recorded, readers get the refs that git has', async () => {
  expect(await branches()).toEqual(['main'])
  const before = await generation()
  await intend('alive', 'new')
  await move('new')
  expect(await branches()).toEqual(['main', 'new'])
  expect((await server.root.get(`/projects/${project.id}/repository/branches/new`)).status).toBe(200)
  expect(await generation()).toBe(before)
})

test('a change that took effect is settled as soon as its process has ended, and those of others are left alone', async () => {
  const before = await generation()
  await intend('ended', 'done')
  await intend('alive', 'under-way')
  await move('done', 'under-way')
  const other = another(['ended'])
  await settleEnded(other)
  expect(await open()).toEqual(['alive'])
  expect(await generation()).toBe(before + 1)
  await settleEnded(other)
  expect(await generation()).toBe(before + 1)
})

test('a change that took no effect, or only in part, waits until git of its process must have ended', async () => {
  const before = await generation()
  const clock = manualClock({ start: new Date() })
  await intend('ended', 'one', 'two')
  await intend('ended', 'three')
  await move('one')
  const other = another(['ended'], clock)
  expect(await settleEnded(other)).toBe(true)
  expect(await open()).toEqual(['ended', 'ended'])
  clock.advance(3_999)
  // Git of the killed process may still move what it was about to.
  await move('two')
  await settleEnded(other)
  expect([await open(), await generation()]).toEqual([['ended'], before + 1])
  clock.advance(1)
  await settleEnded(other)
  expect([await open(), await generation()]).toEqual([[], before + 1])
  expect(await settleEnded(other)).toBe(false)
  expect(await branches()).toEqual(['main', 'one', 'two'])
})

test('two processes settle a change once', async () => {
  const [before, events] = [await generation(), await createdBranches()]
  await intend('ended', 'raced')
  await move('raced')
  await Promise.all([settleEnded(another(['ended'])), settleEnded(another(['ended']))])
  expect([await generation(), await createdBranches()]).toEqual([before + 1, events + 1])
})

test('a change that another process repeats is recorded once', async () => {
  const [before, events] = [await generation(), await createdBranches()]
  await intend('ended', 'repeated', 'own')
  const body = { branch: 'repeated', ref: 'main' }
  expect((await server.root.post(`/projects/${project.id}/repository/branches`, body)).status).toBe(201)
  await move('own')
  await settleEnded(another(['ended']))
  expect(await open()).toEqual([])
  expect([await generation(), await createdBranches()]).toEqual([before + 2, events + 2])
})

test('a deletion that another process has made before is a conflict, and is recorded once', async () => {
  await move('gone')
  const { row, head } = await opened()
  const change = { ref: refName('refs/heads/gone') as RefName, old: head, new: zero }
  const { platform } = server.app
  await changeRefs(platform, row, [change], { userId: 1, via: 'api' })
  const before = await generation()
  const again = changeRefs(another([]), row, [change], { userId: 1, via: 'api' })
  await expect(again).rejects.toMatchObject({ name: 'RefConflict', reason: 'missing' })
  expect([await open(), await generation()]).toEqual([[], before])
})

test.each(['before', 'while'])(
  'a push of what another process does %s it is asked for is recorded once',
  async (when) => {
    const { row, repository, head } = await opened()
    const change = { ref: refName('refs/heads/pushed') as RefName, old: zero, new: head }
    const { platform } = server.app
    const push = pushGate(another([]), row, { userId: 1, via: 'git' })
    const ask = () => push.preReceive({ repository, changes: [change], quarantine: undefined, pushOptions: [] })
    if (when === 'while') expect(await ask()).toBeNull()
    await changeRefs(platform, row, [change], { userId: 1, via: 'api' })
    const before = await generation()
    if (when === 'before') expect(await ask()).toBeNull()
    // Git has refused it.
    await push.finish()
    expect([await open(), await generation()]).toEqual([[], before])
  },
)

test('a push whose refs cannot be read leaves no intent', async () => {
  const { row, repository, head } = await opened()
  const change = { ref: refName('refs/heads/unread') as RefName, old: zero, new: head }
  const push = pushGate(another([]), row, { userId: 1, via: 'git' })
  const unreadable = { ...repository, tips: () => Promise.reject(new Error('git has ended')) }
  const asked = push.preReceive({ repository: unreadable, changes: [change], quarantine: undefined, pushOptions: [] })
  await expect(asked).rejects.toThrow('git has ended')
  await push.finish()
  expect(await open()).toEqual([])
})

test.runIf(onPostgres)('a record waits for others of the same change before it locks its own intent', async () => {
  const { database } = server.app.platform
  const [first, second] = [await intend('one', 'both'), await intend('two', 'both')]
  const { row, head } = await opened()
  const changes = [{ ref: 'refs/heads/both', old: zero, new: head }]
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // A deadlock would be found by the database, and one of the two be repeated.
  let attempts = 0
  const holder = database.write(async (tx) => {
    attempts += 1
    await lockOpenIntent(tx, first)
    locked.resolve()
    await release.promise
    return lockOpenIntent(tx, second)
  })
  await locked.promise
  const rivals = database.write((tx) => {
    attempts += 1
    return lockRivals(tx, row.id, second, changes)
  })
  const waiting = sql`select 1 from pg_locks where not granted and locktype in ('tuple', 'transactionid')`
  await expect.poll(async () => (await waiting.execute(database.read as never)).rows.length).toBeGreaterThan(0)
  release.resolve()
  expect(await holder).toEqual(changes)
  expect([await rivals, attempts]).toEqual([[first], 2])
})

test('a change that a living process is making as well is left to that one', async () => {
  const [before, events] = [await generation(), await createdBranches()]
  await intend('ended', 'shared')
  await intend('alive', 'shared')
  await move('shared')
  await settleEnded(another(['ended']))
  expect([await open(), await generation()]).toEqual([['alive', 'ended'], before])
  await settleEnded(another(['ended', 'alive']))
  expect(await open()).toEqual([])
  expect([await generation(), await createdBranches()]).toEqual([before + 1, events + 1])
})

test('a process that only seemed to have ended records what another one has not', async () => {
  const { platform } = server.app
  const [before, events] = [await generation(), await createdBranches()]
  let isFirst = true
  // Between the move of the refs and the record, another process settles the change.
  const hasty: RefListener = {
    async prepare() {
      if (isFirst) {
        isFirst = false
        await settleEnded(another([platform.presence.name()]))
      }
      return async () => {}
    },
  }
  platform.gate.listeners.push(hasty)
  try {
    const body = { branch: 'twice', ref: 'main' }
    expect((await server.root.post(`/projects/${project.id}/repository/branches`, body)).status).toBe(201)
  } finally {
    platform.gate.listeners.splice(platform.gate.listeners.indexOf(hasty), 1)
  }
  expect(isFirst).toBe(false)
  expect([await generation(), await createdBranches()]).toEqual([before + 1, events + 1])
  const rows = platform.database.read.selectFrom('ref_intents').select('id')
  expect(await rows.where('repository_id', '=', (await opened()).row.id).execute()).toEqual([])
})

test('locks of an ended process are deleted, unless another one is about to change the same ref', async () => {
  const { repository } = await opened()
  const { mkdir, stat, utimes, writeFile } = await import('node:fs/promises')
  const { join } = await import('node:path')
  const clock = manualClock({ start: new Date() })
  const old = new Date(clock.now().getTime() - 10_000)
  const locks = ['held', 'claimed'].map((name) => join(repository.directory, 'refs/heads', `${name}.lock`))
  for (const lock of locks) {
    await mkdir(join(lock, '..'), { recursive: true })
    await writeFile(lock, '')
    await utimes(lock, old, old)
  }
  await intend('ended', 'held', 'claimed')
  await intend('alive', 'claimed')
  const other = another(['ended'], clock)
  await settleEnded(other)
  clock.advance(4_000)
  await settleEnded(other)
  const exist = await Promise.all(
    locks.map((lock) =>
      stat(lock).then(
        () => true,
        () => false,
      ),
    ),
  )
  expect(exist).toEqual([false, true])
})

test('locks of killed git stay until other processes have written that lived before', async () => {
  const clock = manualClock({ start: new Date() })
  const { repository } = await opened()
  const ended: string[] = []
  const waiting = async (process: string) => {
    let isDone = false
    const id = await intend(process, process)
    const wait = othersHaveWritten(another(ended, clock), repository.location).then(() => {
      isDone = true
    })
    return { id, wait, isDone: () => isDone }
  }
  const pass = async (ms: number) => {
    await expect.poll(() => clock.pendingTimers).toBeGreaterThan(0)
    clock.advance(ms)
  }
  const first = await waiting('alive')
  await pass(29_999)
  expect([clock.pendingTimers, first.isDone()]).toEqual([1, false])
  await pass(1)
  // Began later: it cannot hold what was seen before.
  await intend('alive', 'later')
  await pass(1_000)
  await expect.poll(() => clock.pendingTimers).toBe(1)
  expect(first.isDone()).toBe(false)
  await server.app.platform.database.write((tx) => deleteIntent(tx, first.id))
  await pass(1_000)
  await first.wait
  const second = await waiting('mortal')
  ended.push('mortal', 'alive')
  await pass(30_000)
  await second.wait
})
