import { describe, expect, test } from 'vitest'
import { anonymous } from '../../../api/index.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Database, now } from '../../../infra/database/index.ts'
import { createJobs } from '../../../infra/jobs/index.ts'
import { type Events, type Platform, type Reaction, registerJobs } from '../../../platform/index.ts'
import { freshDatabase } from '../../../testing/database.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import { insertNamespace } from '../../namespaces/index.ts'
import { ghostUserId } from '../accounts/internal-users.ts'
import { createUserRows } from '../accounts/rows.ts'
import { usersByIds } from '../store.ts'
import { removeUser, removeUserJob } from './removal.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
const log = { warn() {}, error() {} }
const objects = { async *list() {} }
const unmodified = () => {}

async function make(database: Database, username: string, isAdmin = false) {
  return database.write((tx) =>
    createUserRows(tx, {
      username,
      name: username,
      email: `${username}@example.com`,
      is_admin: isAdmin,
      confirmed_at: null,
      projects_limit: 1,
      created_at: now(clock),
    }),
  )
}

type Removed = Reaction<Events['user.removed']>
type StandIns = { reactions?: Removed[]; removeGroup?: (platform: Platform, groupId: number) => Promise<void> }

/** A platform with stand-ins for the modules that follow the removal of a user. */
function platformOn(database: Database, { reactions = [], removeGroup = async () => {} }: StandIns): Platform {
  const jobs = createJobs({ database, clock, log, leaseSeconds: 60, concurrency: 1, owner: 'test', random: () => 0 })
  const platform = {
    ...{ database, clock, jobs, objects, externalUrl: 'http://example.com' },
    reactions: { 'user.removed': reactions, 'user.removal_began': [], 'namespace.moved': [] },
    ports: { 'users.remove_projects': async () => {}, 'users.remove_group': removeGroup },
  } as unknown as Platform
  registerJobs(platform, [removeUserJob])
  return platform
}

const exists = async (database: Database, id: number) =>
  (await database.read.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

describe('the job that finishes the removal of a user', () => {
  test.each([
    [false, 'moves contributions to the ghost user'],
    [true, 'deletes contributions'],
  ])('hard: %s %s', async (hard) => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const moves: { userId: number; ghostId: number | null }[] = []
    const platform = platformOn(database, {
      reactions: [
        async (platform, tx, { userId, hard }) => {
          moves.push({ userId, ghostId: hard ? null : await ghostUserId(platform, tx) })
        },
      ],
    })
    await removeUser(platform, user.id, { hard, actor: anonymous, unmodified })
    await platform.jobs.drain()
    const ghost = await database.read.selectFrom('users').selectAll().where('bot_kind', '=', 'ghost').executeTakeFirst()
    expect(moves).toEqual([{ userId: user.id, ghostId: hard ? null : ghost?.id }])
    expect(ghost === undefined).toBe(hard)
    expect(await exists(database, user.id)).toBe(false)
  })

  test('creates no ghost user unless contributions move to it', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const platform = platformOn(database, { reactions: [async () => {}] })
    await removeUser(platform, user.id, { hard: false, actor: anonymous, unmodified })
    await platform.jobs.drain()
    expect(await database.read.selectFrom('users').select('username').execute()).toEqual([{ username: 'root' }])
  })

  test('runs again from the start after a failure', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    let tries = 0
    const platform = platformOn(database, {
      reactions: [
        async () => {
          tries += 1
          if (tries < 3) throw new Error('killed')
        },
      ],
    })
    await removeUser(platform, user.id, { hard: false, actor: anonymous, unmodified })
    for (let round = 0; round < 3; round += 1) {
      await platform.jobs.drain()
      clock.advance(86_400_000)
    }
    expect(tries).toBe(3)
    expect(await exists(database, user.id)).toBe(false)
    expect(await storedJobs(platform.database)).toEqual([])
  })

  test('fails while projects remain, whose repositories would be orphaned', async () => {
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
    const platform = platformOn(database, {})
    await removeUser(platform, user.id, { hard: false, actor: anonymous, unmodified })
    await platform.jobs.drain()
    const [job] = await storedJobs(platform.database)
    expect(job?.last_error).toContain(`user ${user.id} still has projects`)
    expect(await exists(database, user.id)).toBe(true)
  })

  test('removes the groups that only this user owned, with hard', async () => {
    await using database = await freshDatabase()
    await make(database, 'root', true)
    const user = await make(database, 'alice')
    const removed: number[] = []
    const platform = platformOn(database, {
      removeGroup: async (_platform, id) => {
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
    await removeUser(platform, user.id, { hard: true, actor: anonymous, unmodified })
    await platform.jobs.drain()
    expect(removed).toEqual([group.id])
  })
})

test('the ghost user is created once, with a free username', async () => {
  await using database = await freshDatabase()
  await make(database, 'ghost')
  const platform = platformOn(database, {})
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
  const id = await database.write((tx) => ghostUserId(platform, tx))
  expect((await usersByIds(database.read, [id])).get(id)).toMatchObject({
    username: 'ghost2',
    bot_kind: 'ghost',
    state: 'active',
  })
  expect(await database.write((tx) => ghostUserId(platform, tx))).toBe(id)
})
