import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeRunner } from '../testing.ts'
import { recordContact, type Visitor } from './contact.ts'
import { deleteManager } from './store.ts'

let clock: ManualClock
let server: TestServer
let runner: number
let other: number
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
beforeEach(async () => {
  runner = (await makeRunner(server)).id
  other = (await makeRunner(server)).id
})

const info = { name: 'gitlab-runner', version: '19.4.0', executor: 'shell' }
const rowOf = (id: number) =>
  server.app.platform.database.read.selectFrom('runners').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** Records a contact of a runner, by default by the same program. @returns the manager */
async function contact(visitor: Partial<Visitor> = {}, id = runner) {
  return recordContact(server.app.platform, await rowOf(id), { systemId: 's_one', ip: '10.0.0.1', info, ...visitor })
}
const managersOf = async (id: number) =>
  (await server.root.get(`/runners/${id}/managers`)).body.map(({ system_id }: { system_id: string }) => system_id)

describe('a contact', () => {
  test('that brings nothing new is recorded every thirty seconds', async () => {
    const start = clock.now().toISOString()
    expect(await contact()).toMatchObject({ contacted_at: start, ip_address: '10.0.0.1', version: '19.4.0' })
    clock.advance(29_999)
    expect((await contact()).contacted_at).toBe(start)
    expect(await rowOf(runner)).toMatchObject({ contacted_at: start, name: 'gitlab-runner' })
    clock.advance(1)
    const later = clock.now().toISOString()
    expect((await contact()).contacted_at).toBe(later)
    expect((await rowOf(runner)).contacted_at).toBe(later)
  })

  test.each<[string, Partial<Visitor>]>([
    ['of another version', { info: { ...info, version: '19.5.0' } }],
    ['with another executor', { info: { ...info, executor: 'docker' } }],
    ['from another address', { ip: '10.0.0.2' }],
  ])('%s is recorded at once', async (_, visitor) => {
    await contact()
    clock.advance(1)
    expect((await contact(visitor)).contacted_at).toBe(clock.now().toISOString())
  })

  test('is that of one runner, and of one of its programs', async () => {
    const first = await contact()
    clock.advance(1)
    const second = await contact({ systemId: 's_two' })
    expect(second).toMatchObject({ runner_id: runner, system_id: 's_two', contacted_at: clock.now().toISOString() })
    expect((await rowOf(other)).contacted_at).toBeNull()
    clock.advance(1)
    expect(await contact({}, other)).toMatchObject({ runner_id: other, contacted_at: clock.now().toISOString() })
    expect(await contact()).toEqual(first)
    const remove = (id: number, systemId: string) =>
      server.app.platform.database.write((tx) => deleteManager(tx, id, systemId))
    expect([await remove(runner, 's_one'), await remove(runner, 's_one')]).toEqual([true, false])
    expect([await managersOf(runner), await managersOf(other)]).toEqual([['s_two'], ['s_one']])
  })

  test('of a program that names itself at length is cut, and of one that does not name itself has a name', async () => {
    const long = 'x'.repeat(256)
    const cut = long.slice(1)
    expect(await contact({ systemId: long, info: { version: long } })).toMatchObject({ system_id: cut, version: cut })
    expect((await contact({ systemId: '' })).system_id).toBe('<legacy>')
  })
})
