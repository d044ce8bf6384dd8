import { afterAll, beforeAll, expect, test } from 'vitest'
import { onPostgres, startTestServer, type TestServer } from '../../testing/index.ts'
import { recordClosings } from './closing/closing.ts'
import { recoverEndedMerges, recoverMergesJob } from './merging/recovery.ts'
import { makePlace, openRequest, type Place } from './testing.ts'

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

// Contract 19, "Acceptance walk", 1 to 7 and 15; the other steps are tests of their own.
test('a merge request closes an issue, as the contract walks', async () => {
  const { developer, maintainer, owner, outsider, at, base } = place
  const issue = await owner.post(`${base}/issues`, { title: 'the issue' })
  const other = await owner.post(`${base}/issues`, { title: 'mentioned' })
  const one = `${base}/issues/${issue.body.iid}`
  const made = await openRequest(place, 'f', undefined, {
    title: 'Draft: x',
    description: `Closes #${issue.body.iid}. See #${other.body.iid}`,
    remove_source_branch: true,
  })
  expect(made).toMatchObject({ iid: 1, draft: true })
  const request = `${at}/1`
  expect((await developer.get(`${request}/closes_issues`)).body).toMatchObject([{ iid: issue.body.iid }])
  const related = (await developer.get(`${request}/related_issues`)).body.map(({ iid }: { iid: number }) => iid)
  expect(related).toEqual([issue.body.iid, other.body.iid])
  expect((await developer.get(one)).body.merge_requests_count).toBe(1)
  expect((await developer.get(`${one}/closed_by`)).body).toMatchObject([{ iid: 1, id: made.id }])
  expect((await developer.get(`${base}/issues/${other.body.iid}/related_merge_requests`)).body).toMatchObject([
    { iid: 1 },
  ])
  expect((await maintainer.put(`${request}/merge`)).status).toBe(405)
  expect((await developer.put(request, { title: 'x' })).body).toMatchObject({
    ...{ draft: false, detailed_merge_status: 'mergeable' },
  })
  expect((await developer.put(`${request}/merge`)).status).toBe(401)
  const merged = await maintainer.put(`${request}/merge`)
  expect(merged.body.state).toBe('merged')
  expect((await owner.get(`${base}/repository/branches/f`)).status).toBe(404)
  const { body: commit } = await owner.get(`${base}/repository/commits/${merged.body.merge_commit_sha}`)
  expect(commit.message).toBe(
    `Merge branch 'f' into 'main'\n\nx\n\nCloses #${issue.body.iid}\n\nSee merge request ${place.path}!1`,
  )
  expect((await owner.get(one)).body).toMatchObject({ state: 'closed', closed_by: { id: maintainer.id } })
  expect((await owner.get(`${one}/resource_state_events`)).body).toMatchObject([
    { state: 'closed', source_merge_request_id: made.id, source_commit: null },
  ])
  expect((await owner.get(`${base}/issues/${other.body.iid}`)).body.state).toBe('opened')
  expect((await developer.get(`${base}/repository/commits/${made.sha}/merge_requests`)).body).toMatchObject([
    { iid: 1 },
  ])
  expect((await outsider.get(request)).status).toBe(404)
  expect((await server.anonymous.get(request)).status).toBe(404)
})

test('closing words of commits count, those of a request to another branch do not', async () => {
  const { developer, owner, at, base, tree } = place
  const issue = await owner.post(`${base}/issues`, { title: 'by commit' })
  const message = `Fixes #${issue.body.iid}`
  const { iid } = await openRequest(place, 'by-commit', undefined, {}, { message })
  const closes = async () =>
    (await developer.get(`${at}/${iid}/closes_issues`)).body.map(({ id }: { id: number }) => id)
  expect(await closes()).toEqual([issue.body.id])
  await tree.push(owner, 'main:refs/heads/stable')
  await developer.put(`${at}/${iid}`, { target_branch: 'stable' })
  expect(await closes()).toEqual([])
})

test('closing records that are computed at once are the same', async () => {
  const { platform } = server.app
  const issue = await place.owner.post(`${place.base}/issues`, { title: 'at once' })
  const made = await openRequest(place, 'at-once', undefined, { description: `Closes #${issue.body.iid}` })
  await Promise.all(Array.from({ length: 8 }, () => recordClosings(platform, made.id)))
  const { body } = await place.developer.get(`${place.at}/${made.iid}/closes_issues`)
  expect(body.map(({ id }: { id: number }) => id)).toEqual([issue.body.id])
})

test('branches of open requests outlive the deletion of merged branches', async () => {
  const { developer, owner, maintainer, at, base, tree } = place
  const made = await openRequest(place, 'kept', undefined, { remove_source_branch: false })
  await maintainer.put(`${at}/${made.iid}/merge`)
  await tree.run('checkout', '--quiet', '-B', 'again', 'kept')
  await tree.push(owner, 'again')
  const { body } = await developer.post(at, { source_branch: 'again', target_branch: 'main', title: 'again' })
  expect(body.detailed_merge_status).toBe('commits_status')
  expect((await owner.delete(`${base}/repository/merged_branches`)).status).toBe(202)
  await server.app.platform.jobs.drain()
  const names = (await owner.get(`${base}/repository/branches`)).body.map(({ name }: { name: string }) => name)
  expect(names).toContain('again')
  expect(names).not.toContain('kept')
})

test('the requests of a removed user go to the ghost', async () => {
  const { at, owner } = place
  const leaving = await server.user('leaving')
  await server.make.member(place, leaving, 30)
  const { iid } = await openRequest({ ...place, developer: leaving }, 'left')
  expect((await server.root.delete(`/users/${leaving.id}`)).status).toBe(204)
  await server.app.platform.jobs.drain()
  expect((await owner.get(`${at}/${iid}`)).body.author.username).toBe('ghost')
})

/** Locks a request as a process does that merges it. */
async function lockFor(process: string, iid: number, target: string) {
  const merging = {
    ...{ userId: place.maintainer.id, administrator: false, target, mergeCommit: target, squashCommit: null },
    ...{ startedAt: server.app.platform.clock.now().toISOString(), process },
  }
  await server.app.platform.database.write((tx) =>
    tx
      .updateTable('merge_requests')
      .set({ state: 'locked', merging: JSON.stringify(merging) })
      .where('iid', '=', iid)
      .where('project_id', '=', place.project.id)
      .execute(),
  )
}

const interrupted = { state: 'opened', merge_error: 'The merge was interrupted. Please try again.' }

test('a merge that was interrupted is settled by what happened to the branch', async () => {
  const { at, owner, maintainer } = place
  const { platform } = server.app
  const lost = await openRequest(place, 'lost')
  await lockFor('ended', lost.iid, lost.sha)
  const done = await openRequest(place, 'done', undefined, { remove_source_branch: true })
  const main = (await owner.get(`${place.base}/repository/branches/main`)).body.commit.id
  await lockFor('ended', done.iid, main)
  const alive = await openRequest(place, 'alive')
  await lockFor(platform.presence.name(), alive.iid, alive.sha)
  // On PostgreSQL a server looks all the time whether others have ended.
  if (!onPostgres) await recoverEndedMerges(platform)
  const shown = async ({ iid }: { iid: number }) => (await owner.get(`${at}/${iid}`)).body
  await expect.poll(() => shown(lost)).toMatchObject(interrupted)
  await expect
    .poll(() => shown(done))
    .toMatchObject({ state: 'merged', merge_commit_sha: main, merge_user: { id: maintainer.id } })
  await expect.poll(async () => (await owner.get(`${place.base}/repository/branches/done`)).status).toBe(404)
  expect((await shown(alive)).state).toBe('locked')
  // One that takes too long is settled although its process lives.
  const later = { now: () => new Date(platform.clock.now().getTime() + 300_000) }
  await recoverMergesJob.run({ ...platform, clock: { ...platform.clock, ...later } }, null, {} as never)
  expect(await shown(alive)).toMatchObject(interrupted)
})
