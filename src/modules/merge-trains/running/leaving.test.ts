import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ProjectWithMembers, startTestServer, type TestServer } from '../../../testing/index.ts'
import { pushBranch } from '../../merge-requests/testing.ts'
import {
  board,
  carOf,
  makeTrainPlace,
  notesOf,
  openOne,
  removed,
  requestOf,
  runTrainOf,
  settle,
  type TrainPlace,
  trainOf,
} from '../testing.ts'

let server: TestServer
let people: ProjectWithMembers | undefined
let place: TrainPlace
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await makeTrainPlace(server, { people })
  people ??= place
})
afterEach(() => place.tree[Symbol.asyncDispose]())

const cancel = (iid: number) => place.maintainer.post(`${place.at}/${iid}/cancel_merge_when_pipeline_succeeds`)

describe('a merge request leaves its train', () => {
  const leaving: [string, string | null, (iid: number) => Promise<unknown>][] = [
    ['when it is taken off', '', cancel],
    [
      'when it is closed',
      ': it was closed',
      (iid) => place.developer.put(`${place.at}/${iid}`, { state_event: 'close' }),
    ],
    [
      'when it becomes a draft',
      ': it is a draft',
      (iid) => place.developer.put(`${place.at}/${iid}`, { title: 'Draft: later' }),
    ],
    [
      'when its target branch is changed',
      ': its target branch was changed',
      async (iid) => {
        const branch = `target-${iid}`
        await place.owner.post(`${place.base}/repository/branches`, { branch, ref: 'main' })
        await place.developer.put(`${place.at}/${iid}`, { target_branch: branch })
      },
    ],
    [
      'when its source branch is pushed to',
      ': its source branch was pushed to',
      async (iid) => {
        const { source_branch: from } = await requestOf(place, iid)
        await pushBranch(place, from, { 'more.txt': 'x' }, { from })
      },
    ],
    ['when it is deleted', null, (iid) => place.owner.delete(`${place.at}/${iid}`)],
    [
      'when its pipeline is canceled',
      ': its pipeline was canceled',
      async (iid) => {
        const { pipeline } = await carOf(place, iid)
        await place.maintainer.post(`${place.base}/pipelines/${pipeline.id}/cancel`)
      },
    ],
  ]

  test.each(leaving)('%s, and those behind it are tested anew', async (name, note, act) => {
    const branch = name.replaceAll(' ', '-')
    const [iid = 0, next = 0] = await board(server, place, branch, `behind-${branch}`)
    const was = await carOf(place, next)
    await act(iid)
    await settle(server)
    expect(await trainOf(place)).toEqual([[next, 'fresh']])
    expect((await carOf(place, next)).pipeline.id).not.toBe(was.pipeline.id)
    if (note !== null) {
      expect(await requestOf(place, iid)).toMatchObject({ merge_when_pipeline_succeeds: false })
      expect(await notesOf(place, iid)).toContain(`${removed}${note}`)
    }
  })

  test('is stale until the train is looked at', async () => {
    const [one = 0, two = 0] = await board(server, place, 'off', 'stale')
    await server.root.post('/features/auto_merge_worker', { value: false })
    await cancel(one)
    await settle(server)
    expect(await carOf(place, two)).toMatchObject({ status: 'stale', pipeline: null })
    await server.root.delete('/features/auto_merge_worker')
    // The job waits a minute for the worker, and others of the train behind it.
    await run()
    expect(await carOf(place, two)).toMatchObject({ status: 'fresh' })
  })

  test('when its user may not merge any more, or the project has no trains', async () => {
    const { owner, maintainer, base, trains } = place
    const leaver = await server.user('leaver')
    await server.make.member({ project: place.project }, leaver, 40)
    const iid = await openOne(place, 'of-leaver')
    const enter = async () => {
      expect((await leaver.post(`${trains}/merge_requests/${iid}`)).status).toBe(201)
      await settle(server)
    }
    await enter()
    await owner.put(`${base}/members/${leaver.id}`, { access_level: 30 })
    await look()
    expect((await notesOf(place, iid)).at(-1)).toBe(`${removed}: the user who added it may not merge it`)
    await owner.put(`${base}/members/${leaver.id}`, { access_level: 40 })
    await server.root.post('/features/auto_merge_worker', { value: false })
    await enter()
    await server.root.post(`/users/${leaver.id}/block`)
    await server.root.delete('/features/auto_merge_worker')
    await run()
    expect((await notesOf(place, iid)).at(-1)).toBe(`${removed}: the user who added it is not active`)
    expect((await maintainer.post(`${trains}/merge_requests/${iid}`)).status).toBe(201)
    await run()
    await owner.put(base, { merge_trains_enabled: false })
    await run()
    expect((await notesOf(place, iid)).at(-1)).toBe(`${removed}: the project has no merge trains`)
  })
})

/** Looks at the train at once. */
const run = () => runTrainOf(server, place)

/** Has the train looked at, as it is every minute. */
async function look(): Promise<void> {
  const { jobs, database } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, 'merge_trains.watch', null))
  await settle(server)
}
