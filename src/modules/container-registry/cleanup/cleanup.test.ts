import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type RegistryRows, registryRows } from '../images/testing.ts'
import { cleanRepository } from './cleanup.ts'
import type { CleanupRules } from './selection.ts'

let server: TestServer
let owner: Person
let rows: RegistryRows

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  rows = registryRows(server)
})
afterAll(() => server.stop())

const all: CleanupRules = { deletePattern: '.*', keepPattern: null, keepCount: 0, olderThanSeconds: null }
const unprotected = (repositoryId: number) => ({ repositoryId, isProtected: null })
const signal = () => new AbortController().signal

/** A platform that calls a function before each transaction, with its number. */
function beforeWrites(call: (number: number) => Promise<void>) {
  const { database } = server.app.platform
  let number = 0
  const write = async (work: never) => {
    number += 1
    await call(number)
    return database.write(work)
  }
  return { ...server.app.platform, database: { ...database, write: write as typeof database.write } }
}

test('a tag that is pushed again after it was judged survives', async () => {
  const id = await rows.repository(await server.make.project('pushed', owner))
  await rows.image(id, 'old', { tags: ['v1', 'v2'] })
  const young = await rows.image(id, 'young')
  const { database } = server.app.platform
  const platform = beforeWrites(async () => {
    await database.write((tx) =>
      tx.updateTable('registry_tags').set({ manifest_id: young }).where('name', '=', 'v2').execute(),
    )
  })
  await cleanRepository(platform, unprotected(id), all, signal())
  expect(await rows.tagNames(id)).toEqual(['v2'])
})

test('a second run deletes what a stopped one left, the same as one run', async () => {
  const id = await rows.repository(await server.make.project('stopped', owner))
  for (let index = 0; index < 3; index += 1) {
    const imageCreatedAt = `2026-01-0${index + 1}T00:00:00.000Z`
    const tags = Array.from({ length: 40 }, (_, tag) => `t${index}-${tag}`)
    await rows.image(id, `stopped ${index}`, { tags, imageCreatedAt })
  }
  const rules = { ...all, keepCount: 50 }
  const stopped = new AbortController()
  const platform = beforeWrites(async () => stopped.abort())
  await expect(cleanRepository(platform, unprotected(id), rules, stopped.signal)).rejects.toThrow()
  const half = await rows.tagNames(id)
  expect(half.length).toBeGreaterThan(50)
  expect(half.length).toBeLessThan(120)
  await cleanRepository(server.app.platform, unprotected(id), rules, signal())
  const left = await rows.tagNames(id)
  expect(left).toHaveLength(50)
  expect(left.filter((name) => name.startsWith('t2-'))).toHaveLength(40)
  await cleanRepository(server.app.platform, unprotected(id), rules, signal())
  expect(await rows.tagNames(id)).toEqual(left)
})

test('more tags than are read at once are all judged', async () => {
  const id = await rows.repository(await server.make.project('many', owner))
  const tags = Array.from({ length: 2001 }, (_, index) => `n${index}`)
  await rows.image(id, 'many', { tags })
  await cleanRepository(server.app.platform, unprotected(id), { ...all, keepPattern: 'n7' }, signal())
  expect(await rows.tagNames(id)).toEqual(['n7'])
})
