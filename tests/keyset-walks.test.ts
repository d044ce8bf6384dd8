/** Keyset walks visit every row exactly once, also where many rows have the same ordering value (contract 00). */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
const userIds: number[] = []
const groupIds: number[] = []

beforeAll(async () => {
  server = await startTestServer()
  for (let index = 0; index < 9; index += 1) {
    userIds.push((await server.user(`walked-user-${index}`)).id)
    const group = { name: 'walked', path: `walked-group-${index}`, visibility: 'public' }
    groupIds.push((await server.root.post('/groups', group)).body.id)
  }
})
afterAll(() => server.stop())

/** Gives each row one of three values, by a list of numbers from 0 to 2. */
async function setUsers(column: 'name' | 'created_at', values: readonly number[]): Promise<void> {
  const text = (value: number) => (column === 'name' ? `name ${value}` : `2026-01-0${value + 1}T00:00:00.000Z`)
  await server.app.platform.database.write(async (tx) => {
    for (const [index, id] of userIds.entries()) {
      const value = text(values[index] ?? 0)
      await tx
        .updateTable('users')
        .set(column === 'name' ? { name: value } : { created_at: value })
        .where('id', '=', id)
        .execute()
    }
  })
}

async function setGroupNames(values: readonly number[]): Promise<void> {
  await server.app.platform.database.write(async (tx) => {
    for (const [index, id] of groupIds.entries()) {
      const name = `name ${values[index] ?? 0}`
      await tx.updateTable('namespaces').set({ name }).where('id', '=', id).execute()
    }
  })
}

/** The ids on all pages of a walk; ends with a failure when there are more than `most` of them. */
async function walk(client: Client, first: string, most: number): Promise<number[]> {
  const ids: number[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const { status, body, headers } = await client.get(path)
    expect(status).toBe(200)
    ids.push(...body.map(({ id }: { id: number }) => id))
    expect(ids.length).toBeLessThanOrEqual(most)
    path = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  return ids
}

const threeValues = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 9, maxLength: 9 })
const pageSize = fc.integer({ min: 1, max: 4 })
const runs = { numRuns: 8, examples: [[[1, 1, 1, 1, 1, 1, 1, 1, 1], 1]] as [number[], number][] }

describe('a keyset walk with equal ordering values', () => {
  test.each([
    ['name', 'asc'],
    ['name', 'desc'],
    ['created_at', 'asc'],
    ['created_at', 'desc'],
  ] as const)('visits each user once, by %s %s', async (column, sort) => {
    await fc.assert(
      fc.asyncProperty(threeValues, pageSize, async (values, perPage) => {
        await setUsers(column, values)
        const query = `order_by=${column}&sort=${sort}`
        const all: number[] = (await server.root.get(`/users?${query}&per_page=100`)).body.map(
          ({ id }: { id: number }) => id,
        )
        const walked = await walk(server.root, `/users?pagination=keyset&${query}&per_page=${perPage}`, all.length)
        expect(walked).toEqual(all)
        expect(new Set(walked).size).toBe(walked.length)
      }),
      runs,
    )
  })

  test('visits each group once, by name', async () => {
    await fc.assert(
      fc.asyncProperty(threeValues, pageSize, async (values, perPage) => {
        await setGroupNames(values)
        const walked = await walk(
          server.anonymous,
          `/groups?pagination=keyset&order_by=name&sort=asc&per_page=${perPage}`,
          groupIds.length,
        )
        const keys = groupIds.map((id, index) => [values[index] ?? 0, id] as const)
        expect(walked).toEqual(keys.toSorted(([a, x], [b, y]) => a - b || x - y).map(([, id]) => id))
      }),
      runs,
    )
  })

  test('neither repeats nor skips other rows when one is removed meanwhile', async () => {
    await setUsers('name', [1, 1, 1, 1, 1, 1, 1, 1, 1])
    const walked = userIds.slice(0, 9)
    const query = '/users?pagination=keyset&order_by=name&sort=asc&per_page=4&search=walked-user'
    const first = await server.root.get(query)
    expect(first.body.map(({ id }: { id: number }) => id)).toEqual(walked.slice(0, 4))
    // The last row of the page, whose values the cursor holds, no longer sorts there.
    await server.app.platform.database.write((tx) =>
      tx
        .updateTable('users')
        .set({ name: 'name 0' })
        .where('id', '=', walked[3] ?? 0)
        .execute(),
    )
    const next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(await walk(server.root, next, 5)).toEqual(walked.slice(4))
  })
})
