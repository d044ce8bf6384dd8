import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { randomToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { freshDatabase } from '../../../testing/database.ts'
import { insertNamespace } from '../../namespaces/index.ts'
import { createUserRows } from '../../users/index.ts'
import { type IssuedToken, issueToken, replaceToken, type TokenOwner } from '../access-tokens.ts'
import type { AccessTokenRow } from '../tables.ts'
import { start } from '../testing.ts'
import { createBot, retireBots } from './bots.ts'

const reactions = { 'user.blocked': [] }
const platform = { clock: manualClock({ start }), externalUrl: 'http://localhost', reactions } as unknown as Platform
const newSecret = () => ({ text: randomToken('glpat-'), expiresAt: '2026-03-11', createdAt: start })

/** A fresh database with a user and a group. */
async function scene() {
  const database = await freshDatabase()
  const person = { username: 'someone', name: 'Someone', email: 'someone@example.com', confirmed_at: start }
  const user = await database.write((tx) => createUserRows(tx, { ...person, projects_limit: 1, created_at: start }))
  const named = { kind: 'group' as const, name: 'group', path: 'group', parent: null, ownerId: null }
  const group = await database.write((tx) => insertNamespace(tx, { ...named, visibility: 'private', now: start }))
  const wanted = { name: 'a', scopes: ['api'] }
  const issue = async (owner: TokenOwner) =>
    (await database.write((tx) => issueToken(tx, owner, { ...wanted, ...newSecret() }))).row
  /** @param pause runs in the transaction, after the rotation */
  const rotate = (token: AccessTokenRow, pause = async () => {}) =>
    database.write(async (tx) => {
      const issued = await replaceToken(tx, token, newSecret())
      await pause()
      return issued
    })
  const active = () => database.read.selectFrom('access_tokens').select('id').where('revoked', '=', false).execute()
  return { database, user, group, rotate, issue, active, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

/** A point at which a transaction waits until `open` is called. */
function gate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const pass = async () => {
    reached.resolve()
    await opened.promise
  }
  return { pass, reached: reached.promise, open: opened.resolve }
}

/** On SQLite, writers queue before their first query; on PostgreSQL, the second writer waits for a lock. */
async function untilBlocked(database: Database): Promise<void> {
  if (database.engine === 'sqlite') return
  await vi.waitFor(
    async () => {
      const waiting = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.read as never)
      expect(waiting.rows).toHaveLength(1)
    },
    { timeout: 60_000 },
  )
}

describe('a rotation in progress', () => {
  test('does not protect its new token from the reuse of an older one', async () => {
    await using stage = await scene()
    const { rotate, database } = stage
    const first = await stage.issue({ kind: 'personal', user_id: stage.user.id })
    const second = (await rotate(first)) as IssuedToken
    const between = gate()
    const third = rotate(second.row, between.pass)
    await between.reached
    const reuse = rotate({ ...first, revoked: true })
    await untilBlocked(database)
    between.open()
    expect((await third)?.row).toMatchObject({ family_id: first.id, revoked: false })
    expect(await reuse).toBeNull()
    expect(await stage.active()).toEqual([])
  })

  test('does not protect its new token from the retirement of the bot', async () => {
    await using stage = await scene()
    const { database, user, group } = stage
    const resource = { kind: 'group' as const, id: group.id }
    const bot = { name: 'a', accessLevel: 30, expiresAt: null, createdById: user.id }
    const { id: userId } = await database.write((tx) => createBot(platform, tx, resource, bot))
    const first = await stage.issue({ kind: 'group', user_id: userId, namespace_id: group.id, access_level: 30 })
    const between = gate()
    const second = stage.rotate(first, between.pass)
    await between.reached
    const end = database.write((tx) => retireBots(platform, tx, resource, [userId]))
    await untilBlocked(database)
    between.open()
    await Promise.all([second, end])
    expect(await stage.active()).toEqual([])
  })
})

describe('retiring bots', () => {
  test('does not affect users that are not bots of the resource', async () => {
    await using stage = await scene()
    const { database, user, group } = stage
    await stage.issue({ kind: 'personal', user_id: user.id })
    const resource = { kind: 'group' as const, id: group.id }
    const bot = { name: 'a', accessLevel: 20, expiresAt: null, createdById: user.id }
    const { id: userId } = await database.write((tx) => createBot(platform, tx, resource, bot))
    const token = await stage.issue({ kind: 'group', user_id: userId, namespace_id: group.id, access_level: 30 })
    const elsewhere = { kind: 'project' as const, id: group.id }
    await database.write((tx) => retireBots(platform, tx, elsewhere, [user.id, userId]))
    expect(await stage.active()).toHaveLength(2)
    await database.write((tx) => retireBots(platform, tx, resource, []))
    await database.write((tx) => retireBots(platform, tx, resource, [user.id, userId, 999]))
    expect(await stage.active()).toHaveLength(1)
    const stored = database.read
      .selectFrom('access_tokens')
      .select(['access_level', 'revoked'])
      .where('id', '=', token.id)
    // The last level of the membership, not the level that the token was created with.
    expect(await stored.executeTakeFirst()).toEqual({ access_level: 20, revoked: true })
    const states = await database.read.selectFrom('users').select(['id', 'state']).orderBy('id').execute()
    expect(states).toEqual([
      { id: user.id, state: 'active' },
      { id: userId, state: 'blocked' },
    ])
  })
})
