import { describe, expect, test } from 'vitest'
import { anonymous, type RequestInfo } from '../../api/index.ts'
import { manualClock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { createJobs } from '../../infra/jobs/index.ts'
import { freshDatabase } from '../../testing/database.ts'
import { insertNamespace } from '../namespaces/index.ts'
import type { Avatars } from './avatars.ts'
import { createUserRows } from './create.ts'
import { ghostUser } from './ghost.ts'
import { createRemoval, type RemovalNeeds } from './removal.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
const log = { warn() {}, error() {} }
const request = { headers: {} } as RequestInfo
const avatars = { removeOthers: async () => {} } as unknown as Avatars

async function make(database: Database, username: string, isAdmin = false) {
  return database.write((tx) =>
    createUserRows(tx, {
      username,
      name: username,
      email: `${username}@example.com`,
      isAdmin,
      confirmedAt: null,
      projectsLimit: 1,
      now: now(clock),
    }),
  )
}

/** The removal with stand-ins for the other domains. */
function removalOn(database: Database, needs: Partial<RemovalNeeds>) {
  const options = { database, clock, log, leaseSeconds: 60, concurrency: 1, owner: 'test', random: () => 0 }
  const jobs = createJobs(options)
  const removal = createRemoval({
    database,
    clock,
    jobs,
    avatars,
    host: 'example.com',
    removeProjectsOf: async () => {},
    removeGroup: async () => {},
    contributions: [],
    ...needs,
  })
  return { jobs, removal }
}

const exists = async (database: Database, id: number) =>
  (await database.read.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

describe('the work behind the removal of a user', () => {
  test.each([
    [false, 'gives what was made to the ghost user'],
    [true, 'takes what was made with it'],
  ])('hard: %s %s', async (hard) => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const moves: { userId: number; ghostId: number | null }[] = []
    const { jobs, removal } = removalOn(database, {
      contributions: [
        async (_tx, { userId, ghostId }) => {
          moves.push({ userId, ghostId: ghostId && (await ghostId()) })
        },
      ],
    })
    await removal.remove(String(user.id), { hard, actor: anonymous, request })
    await jobs.drain()
    const ghost = await database.read.selectFrom('users').selectAll().where('bot_kind', '=', 'ghost').executeTakeFirst()
    expect(moves).toEqual([{ userId: user.id, ghostId: hard ? null : ghost?.id }])
    expect(ghost === undefined).toBe(hard)
    expect(await exists(database, user.id)).toBe(false)
  })

  test('makes no ghost user while nothing is given to it', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const { jobs, removal } = removalOn(database, { contributions: [async () => {}] })
    await removal.remove(String(user.id), { hard: false, actor: anonymous, request })
    await jobs.drain()
    expect(await database.read.selectFrom('users').select('username').execute()).toEqual([{ username: 'root' }])
  })

  test('is done again from the start when it broke off', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    let tries = 0
    const { jobs, removal } = removalOn(database, {
      contributions: [
        async () => {
          tries += 1
          if (tries < 3) throw new Error('killed')
        },
      ],
    })
    await removal.remove(String(user.id), { hard: false, actor: anonymous, request })
    for (let round = 0; round < 3; round += 1) {
      await jobs.drain()
      clock.advance(86_400_000)
    }
    expect(tries).toBe(3)
    expect(await exists(database, user.id)).toBe(false)
    expect(await jobs.list()).toEqual([])
  })

  test('does not end while there are projects whose repositories would be left behind', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const moment = now(clock)
    await database.write(async (tx) => {
      const { id } = await tx
        .selectFrom('namespaces')
        .select('id')
        .where('owner_id', '=', user.id)
        .executeTakeFirstOrThrow()
      const times = { last_activity_at: moment, created_at: moment, updated_at: moment }
      const project = { namespace_id: id, name: 'demo', path: 'demo', full_path: 'alice/demo' }
      await tx
        .insertInto('projects')
        .values({ ...project, visibility: 'private', settings: '{}', ...times })
        .execute()
    })
    const { jobs, removal } = removalOn(database, {})
    await removal.remove(String(user.id), { hard: false, actor: anonymous, request })
    await jobs.drain()
    const [job] = await jobs.list()
    expect(job?.lastError).toContain(`user ${user.id} still has projects`)
    expect(await exists(database, user.id)).toBe(true)
  })

  test('asks for the groups that only a user owned, when everything goes', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const removed: number[] = []
    const { jobs, removal } = removalOn(database, {
      removeGroup: async (id) => {
        removed.push(id)
      },
    })
    const group = await database.write(async (tx) => {
      const place = { kind: 'group', name: 'g', path: 'g', parent: null, ownerId: null, visibility: 'private' } as const
      const row = await insertNamespace(tx, { ...place, now: now(clock) })
      const member = { namespace_id: row.id, user_id: user.id, access_level: 50, created_at: now(clock) }
      await tx.insertInto('members').values(member).execute()
      return row
    })
    await removal.remove(String(user.id), { hard: true, actor: anonymous, request })
    await jobs.drain()
    expect(removed).toEqual([group.id])
  })
})

test('the ghost user is made once, under a free name', async () => {
  await using database = await freshDatabase()
  await make(database, 'ghost')
  const facts = { now: now(clock), host: 'example.com' }
  await database.write(async (tx) => {
    const place = {
      kind: 'group',
      name: 'g',
      path: 'Ghost1',
      parent: null,
      ownerId: null,
      visibility: 'private',
    } as const
    await insertNamespace(tx, { ...place, now: now(clock) })
  })
  const first = await database.write((tx) => ghostUser(tx, facts))
  expect(first).toMatchObject({ username: 'ghost2', bot_kind: 'ghost', state: 'active' })
  expect((await database.write((tx) => ghostUser(tx, facts))).id).toBe(first.id)
})
