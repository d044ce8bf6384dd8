import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { freshDatabase } from '../../testing/database.ts'
import { insertNamespace } from '../namespaces/index.ts'
import { createUserRows } from '../users/index.ts'
import { makeBot, retireBots } from './bots.ts'
import { createRotation, type Holder, issueToken } from './issuing.ts'
import { start } from './testing.ts'

const making = { prefix: 'glpat-', moment: start }
const wanted = { name: 'a', scopes: ['api'], expires_at: null }
const rules = async () => ({
  personal_access_token_prefix: 'glpat-',
  require_personal_access_token_expiry: true,
  max_personal_access_token_lifetime: null,
  service_access_tokens_expiration_enforced: true,
})

/** A fresh database with a person, a group, and the rotation to try on them. */
async function scene() {
  const database = await freshDatabase()
  const person = { username: 'someone', name: 'Someone', email: 'someone@example.com', confirmedAt: start }
  const user = await database.write((tx) => createUserRows(tx, { ...person, projectsLimit: 1, now: start }))
  const named = { kind: 'group' as const, name: 'group', path: 'group', parent: null, ownerId: null }
  const group = await database.write((tx) => insertNamespace(tx, { ...named, visibility: 'private', now: start }))
  const rotate = createRotation({ database, clock: manualClock({ start }), rules })
  const issue = async (holder: Holder) => (await database.write((tx) => issueToken(tx, holder, wanted, making))).row
  const living = () => database.read.selectFrom('access_tokens').select('id').where('revoked', '=', false).execute()
  return { database, user, group, rotate, issue, living, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

/** Something that a transaction waits at until it is told to go on. */
function gate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const pass = async () => {
    reached.resolve()
    await opened.promise
  }
  return { pass, reached: reached.promise, open: opened.resolve }
}

/** On SQLite writers queue before their first query; on PostgreSQL the second one is seen waiting for a lock. */
async function untilBlocked(database: Database): Promise<void> {
  if (database.engine === 'sqlite') return
  await vi.waitFor(async () => {
    const waiting = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.read as never)
    expect(waiting.rows).toHaveLength(1)
  })
}

describe('a rotation that is under way', () => {
  test('does not save its token from the use of an older one of the family', async () => {
    await using stage = await scene()
    const { rotate, database } = stage
    const first = await stage.issue({ kind: 'personal', userId: stage.user.id })
    const second = await rotate(first, undefined)
    const between = gate()
    const third = rotate(second.row, undefined, between.pass)
    await between.reached
    const reuse = expect(rotate({ ...first, revoked: true }, undefined)).rejects.toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Token already revoked' },
    })
    await untilBlocked(database)
    between.open()
    expect((await third).row).toMatchObject({ family_id: first.id, revoked: false })
    await reuse
    expect(await stage.living()).toEqual([])
  })

  test('does not save its token from the end of the bot', async () => {
    await using stage = await scene()
    const { database, user, group } = stage
    const place = { kind: 'group' as const, id: group.id }
    const bot = { name: 'a', accessLevel: 30, expiresAt: null, createdById: user.id, host: 'localhost', now: start }
    const { id: userId } = await database.write((tx) => makeBot(tx, place, bot))
    const first = await stage.issue({ kind: 'group', userId, namespaceId: group.id, accessLevel: 30 })
    const between = gate()
    const second = stage.rotate(first, undefined, between.pass)
    await between.reached
    const end = database.write((tx) => retireBots(tx, place, [userId], { now: start }))
    await untilBlocked(database)
    between.open()
    await Promise.all([second, end])
    expect(await stage.living()).toEqual([])
  })
})

describe('ending bots', () => {
  test('leaves alone who is no bot of the place', async () => {
    await using stage = await scene()
    const { database, user, group } = stage
    await stage.issue({ kind: 'personal', userId: user.id })
    const place = { kind: 'group' as const, id: group.id }
    const bot = { name: 'a', accessLevel: 20, expiresAt: null, createdById: user.id, host: 'localhost', now: start }
    const { id: userId } = await database.write((tx) => makeBot(tx, place, bot))
    const token = await stage.issue({ kind: 'group', userId, namespaceId: group.id, accessLevel: 30 })
    const elsewhere = { kind: 'project' as const, id: group.id }
    await database.write((tx) => retireBots(tx, elsewhere, [user.id, userId], { now: start }))
    expect(await stage.living()).toHaveLength(2)
    await database.write((tx) => retireBots(tx, place, [], { now: start }))
    await database.write((tx) => retireBots(tx, place, [user.id, userId, 999], { now: start }))
    expect(await stage.living()).toHaveLength(1)
    const kept = database.read
      .selectFrom('access_tokens')
      .select(['access_level', 'revoked'])
      .where('id', '=', token.id)
    // The level that the membership had last, not the one that the token was made with.
    expect(await kept.executeTakeFirst()).toEqual({ access_level: 20, revoked: true })
    const states = await database.read.selectFrom('users').select(['id', 'state']).orderBy('id').execute()
    expect(states).toEqual([
      { id: user.id, state: 'active' },
      { id: userId, state: 'blocked' },
    ])
  })
})
