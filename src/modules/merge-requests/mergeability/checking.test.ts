import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import type { MergeRequestRow } from '../tables.ts'
import { makePlace, openRequest, type Place, pushBranch, textWith } from '../testing.ts'
import { ensureChecked, gitFacts, isCheckable, isChecked, isChecking } from './check.ts'

let server: TestServer
let place: Place
let opened: { iid: number; sha: string }
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  opened = await openRequest(place, 'opened', { 'a.txt': textWith(0, 'opened') })
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const row = (): Promise<MergeRequestRow> =>
  server.app.platform.database.read
    .selectFrom('merge_requests')
    .selectAll()
    .where('iid', '=', opened.iid)
    .executeTakeFirstOrThrow()

/** A platform whose transactions wait for `release`, the number of them that have begun, and its clock. */
function waitingPlatform() {
  const { database } = server.app.platform
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const begun = { count: 0 }
  const write = async (work: never) => {
    begun.count += 1
    await promise
    return database.write(work)
  }
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const platform = { ...server.app.platform, clock, database: { ...database, write: write as typeof database.write } }
  return { platform, clock, begun, release }
}

describe('a check of mergeability', () => {
  test('runs once for concurrent reads, which wait ten seconds for it, and goes on', async () => {
    const { platform, clock, begun, release } = waitingPlatform()
    const unchecked = { ...(await row()), checked_sha: null }
    let returned = 0
    const reads = [1, 2].map(() => ensureChecked(platform, unchecked).then(() => (returned += 1)))
    await expect.poll(() => begun.count).toBeGreaterThan(0)
    clock.advance(9_999)
    await new Promise(setImmediate)
    expect([returned, isChecking(platform, unchecked)]).toEqual([0, true])
    clock.advance(1)
    await new Promise(setImmediate)
    expect([returned, isChecking(platform, unchecked)]).toEqual([2, true])
    release()
    await expect.poll(() => isChecking(platform, unchecked)).toBe(false)
    expect(begun.count).toBe(1)
    await Promise.all(reads)
  })

  test('is not started for what was checked or cannot be compared', async () => {
    const { platform, begun, release } = waitingPlatform()
    release()
    const checked = await row()
    expect(isChecked(checked)).toBe(true)
    await ensureChecked(platform, checked)
    await ensureChecked(platform, { ...checked, checked_sha: null, state: 'closed' })
    expect(begun.count).toBe(0)
    await ensureChecked(platform, { ...checked, checked_target_sha: null })
    expect(begun.count).toBe(1)
  })
})

test.each<[boolean, Partial<MergeRequestRow>]>([
  [true, {}],
  [false, { state: 'merged' }],
  [false, { source_exists: false }],
  [false, { target_sha: null }],
])('can be checked: %s, with %j', (isPossible, change) => {
  const open = { state: 'opened', source_exists: true, target_sha: 'b', ...change } as MergeRequestRow
  expect(isCheckable(open)).toBe(isPossible)
})

test('git says which side has commits that the other has not, and whether they conflict', async () => {
  const sides = {
    main: await place.tree.run('rev-parse', 'main'),
    ahead: opened.sha,
    beside: await pushBranch(place, 'beside', { 'b.txt': 'beside' }),
    against: await pushBranch(place, 'against', { 'a.txt': textWith(0, 'against') }),
  }
  const { repository } = await openRepository(server.app.platform, place.project)
  const factsOf = (source: keyof typeof sides, target: keyof typeof sides) =>
    gitFacts(repository, parseOid(sides[source]) as never, parseOid(sides[target]) as never)
  const facts = (isAhead: boolean, isBehind: boolean, hasConflicts = false) => ({ hasConflicts, isAhead, isBehind })
  expect(await factsOf('main', 'main')).toEqual(facts(false, false))
  expect(await factsOf('ahead', 'main')).toEqual(facts(true, false))
  expect(await factsOf('main', 'ahead')).toEqual(facts(false, true))
  expect(await factsOf('beside', 'ahead')).toEqual(facts(true, true))
  expect(await factsOf('against', 'ahead')).toEqual(facts(true, true, true))
})

test('without threads, rules and required pipelines, a request is mergeable', async () => {
  const { developer, owner, base, at } = place
  expect((await owner.put(base, { only_allow_merge_if_all_discussions_are_resolved: true })).status).toBe(200)
  expect((await developer.get(`${at}/${opened.iid}`)).body.detailed_merge_status).toBe('mergeable')
})
