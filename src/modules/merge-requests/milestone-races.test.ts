import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, startTestServer, type TestServer } from '../../testing/index.ts'
import { createdIssue } from '../issues/testing.ts'
import { keepMilestones } from '../milestones/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from './testing.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

/** Runs requests while a write of the test is not committed: they have read, and wait for it or are done. */
async function beside(
  write: Parameters<TestServer['app']['platform']['database']['write']>[0],
  ask: () => readonly Promise<Answer>[],
): Promise<Answer[]> {
  const { database } = server.app.platform
  const answers: Promise<Answer>[] = []
  await database.write(async (tx) => {
    await write(tx)
    answers.push(...ask())
    // The requests that came before have read what they need.
    for (let count = 0; count < 10; count += 1) await place.maintainer.get(`${place.base}/milestones`)
  })
  return Promise.all(answers)
}

test('a milestone that is deleted while it is stored with something is none; of a release, it is not found', async () => {
  const { maintainer, base, at, project } = place
  const issue = await createdIssue(maintainer, project)
  const request = await openRequest(place, 'there')
  await pushBranch(place, 'new', { 'new.txt': 'x' })
  const release = (tag_name: string) => ({ tag_name, ref: 'main', name: tag_name })
  expect((await maintainer.post(`${base}/releases`, release('v1'))).status).toBe(201)
  const milestone = (await maintainer.post(`${base}/milestones`, { title: 'gone' })).body
  const plan = { milestone_id: milestone.id }
  const answers = await beside(
    async (tx) => {
      await tx.deleteFrom('milestones').where('id', '=', milestone.id).execute()
    },
    () => [
      maintainer.post(`${base}/issues`, { title: 'new', ...plan }),
      maintainer.put(`${base}/issues/${issue.iid}`, plan),
      maintainer.post(at, { source_branch: 'new', target_branch: 'main', title: 'new', ...plan }),
      maintainer.put(`${at}/${request.iid}`, plan),
      maintainer.put(`${base}/releases/v1`, { milestones: ['gone'] }),
      maintainer.post(`${base}/releases`, { ...release('v2'), milestone_ids: [milestone.id] }),
    ],
  )
  expect(answers.slice(0, 4).map(({ status, body }) => [status, body.milestone])).toEqual([
    ...[
      [201, null],
      [200, null],
      [201, null],
      [200, null],
    ],
  ])
  expect(answers.slice(4).map(({ status, body }) => [status, body])).toEqual([
    [400, { message: 'Milestone(s) not found: gone' }],
    [400, { message: `Milestone(s) not found: ${milestone.id}` }],
  ])
})

test('a milestone that is stored with something while it is deleted is taken off', async () => {
  const { maintainer, base, project } = place
  const issue = await createdIssue(maintainer, project)
  const milestone = (await maintainer.post(`${base}/milestones`, { title: 'going' })).body
  const [deleted] = await beside(
    async (tx) => {
      expect([...(await keepMilestones(tx, [milestone.id]))]).toEqual([milestone.id])
      await tx.updateTable('issues').set({ milestone_id: milestone.id }).where('id', '=', issue.id).execute()
    },
    () => [maintainer.delete(`${base}/milestones/${milestone.id}`)],
  )
  expect(deleted?.status).toBe(204)
  const rows = await server.app.platform.database.read.selectFrom('issues').select(['id', 'milestone_id']).execute()
  expect(rows.find(({ id }) => id === issue.id)).toEqual({ id: issue.id, milestone_id: null })
})
