import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch, textWith } from '../testing.ts'
import { recoverEndedMerges, recoverMergesJob } from './recovery.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await makePlace(server)
})
afterEach(() => place.tree[Symbol.asyncDispose]())

const notAllowed = { status: 405, body: { message: '405 Method Not Allowed' } }
const cannotBeMerged = { status: 422, body: { message: 'Branch cannot be merged' } }

/** Takes over the branches of the server. */
async function fetched() {
  const { tree, owner } = place
  const url = `${server.url.replace('//', `//o:${owner.token}@`)}/${place.path}.git`
  await tree.run('fetch', '--quiet', '--prune', url, '+refs/heads/*:refs/remotes/origin/*')
  return (revision: string, format = '%H') => tree.run('log', '-1', `--format=${format}`, revision)
}

const mergeOf = (iid: number, params: object = {}) => place.maintainer.put(`${place.at}/${iid}/merge`, params)
const set = (settings: object) => place.owner.put(`${place.base}`, settings)

describe('a merge', () => {
  test('makes a commit with two parents, and deletes the source branch', async () => {
    const params = { title: 'The title', remove_source_branch: true }
    const { iid, sha } = await openRequest(place, 'f', undefined, params)
    const before = await place.tree.run('rev-parse', 'main')
    const { status, body } = await mergeOf(iid)
    expect(status).toBe(200)
    const { id: maintainer } = place.maintainer
    expect(body).toMatchObject({
      ...{ state: 'merged', sha, squash_commit_sha: null, merge_error: null, detailed_merge_status: 'not_open' },
      ...{ merge_user: { id: maintainer }, merged_by: { id: maintainer }, merged_at: expect.any(String) },
    })
    const look = await fetched()
    expect(await look('origin/main', '%H %P')).toBe(`${body.merge_commit_sha} ${before} ${sha}`)
    expect(await look('origin/main', '%B')).toBe(
      `Merge branch 'f' into 'main'\n\nThe title\n\nSee merge request ${place.path}!${iid}`,
    )
    expect(await look('origin/main', '%an %cn')).toBe(
      'maintainer person maintainer person'.replaceAll('maintainer', place.maintainer.username),
    )
    expect((await place.owner.get(`${place.base}/repository/branches/f`)).status).toBe(404)
    expect(await mergeOf(iid)).toMatchObject(notAllowed)
    const reopened = await place.developer.put(`${place.at}/${iid}`, { state_event: 'reopen' })
    expect(reopened).toMatchObject({ status: 200, body: { state: 'merged' } })
    const events = await server.app.platform.database.read.selectFrom('resource_state_events').selectAll().execute()
    expect(events.filter(({ issuable_id }) => issuable_id === body.id)).toMatchObject([
      { state: 'merged', user_id: maintainer },
    ])
  })

  test('keeps the source branch unless its deletion is asked for, whatever the project says', async () => {
    expect((await place.owner.get(place.base)).body.remove_source_branch_after_merge).toBe(true)
    const { iid, force_remove_source_branch } = await openRequest(place, 'kept')
    expect(force_remove_source_branch).toBeNull()
    expect((await mergeOf(iid)).body.state).toBe('merged')
    const { body } = await place.owner.get(`${place.base}/repository/branches/kept`)
    expect(body).toMatchObject({ name: 'kept', merged: true })
    const other = await openRequest(place, 'other', undefined, { remove_source_branch: true })
    expect((await mergeOf(other.iid, { should_remove_source_branch: false })).body.should_remove_source_branch).toBe(
      false,
    )
    expect((await place.owner.get(`${place.base}/repository/branches/other`)).status).toBe(200)
  })

  test('needs the right to merge into the branch, not that to push', async () => {
    const { iid } = await openRequest(place, 'f')
    const { developer, reporter, maintainer, owner, at, base } = place
    expect(await developer.put(`${at}/${iid}/merge`)).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    expect((await reporter.put(`${at}/${iid}/merge`)).status).toBe(401)
    await owner.delete(`${base}/protected_branches/main`)
    await owner.post(`${base}/protected_branches`, { name: 'main', push_access_level: 0, merge_access_level: 30 })
    expect((await developer.get(`${at}/${iid}`)).body.user).toEqual({ can_merge: true })
    expect((await developer.put(`${at}/${iid}/merge`)).body.state).toBe('merged')
    const pushed = await place.tree.push(maintainer, 'f:main')
    expect(pushed.isAccepted).toBe(false)
    await owner.delete(`${base}/protected_branches/main`)
    await owner.post(`${base}/protected_branches`, { name: 'main', push_access_level: 0, merge_access_level: 0 })
    const { iid: blocked } = await openRequest(place, 'g')
    expect((await server.root.put(`${at}/${blocked}/merge`)).status).toBe(401)
  })

  test('needs the head that the caller has seen', async () => {
    const { iid, sha } = await openRequest(place, 'f')
    expect(await mergeOf(iid, { sha: '0'.repeat(40) })).toMatchObject({
      status: 409,
      body: { message: `SHA does not match HEAD of source branch: ${sha}` },
    })
    expect((await mergeOf(iid, { sha })).status).toBe(200)
  })

  test.each([
    ['draft_status', { title: 'Draft: x' }],
    ['merge_time', { merge_after: '2999-01-01T00:00:00Z' }],
  ])('is refused as %s', async (status, params) => {
    const { iid } = await openRequest(place, 'f', undefined, params)
    expect((await place.developer.get(`${place.at}/${iid}`)).body.detailed_merge_status).toBe(status)
    expect(await mergeOf(iid)).toMatchObject(notAllowed)
  })

  test('is refused without commits, and without a branch', async () => {
    const { developer, at, base, owner } = place
    await pushBranch(place, 'empty', {})
    await place.tree.run('checkout', '--quiet', '-B', 'same', 'main')
    await place.tree.push(owner, 'same')
    const made = await developer.post(at, { source_branch: 'same', target_branch: 'main', title: 'x' })
    expect(made.body).toMatchObject({ detailed_merge_status: 'commits_status', changes_count: null })
    expect(await mergeOf(made.body.iid)).toMatchObject(notAllowed)
    const { iid, sha } = await openRequest(place, 'gone')
    await owner.delete(`${base}/repository/branches/gone`)
    const { body } = await developer.get(`${at}/${iid}`)
    expect(body).toMatchObject({ state: 'opened', sha, detailed_merge_status: 'commits_status', has_conflicts: false })
    expect(await mergeOf(iid)).toMatchObject(notAllowed)
  })

  test('on a conflict changes nothing, and works after the conflict is resolved', async () => {
    const one = await openRequest(place, 'one', { 'a.txt': textWith(3, 'one') })
    const two = await openRequest(place, 'two', { 'a.txt': textWith(3, 'two') })
    expect((await mergeOf(one.iid)).status).toBe(200)
    const conflicting = await place.developer.get(`${place.at}/${two.iid}`)
    expect(conflicting.body).toMatchObject({
      ...{ detailed_merge_status: 'conflict', has_conflicts: true, merge_status: 'cannot_be_merged' },
    })
    const look = await fetched()
    const before = await look('origin/main')
    expect(await mergeOf(two.iid)).toMatchObject(cannotBeMerged)
    await fetched()
    expect(await look('origin/main')).toBe(before)
    const { tree, owner, developer, at } = place
    await tree.run('checkout', '--quiet', 'two')
    await tree.run('merge', '--quiet', '-s', 'ours', '-m', 'resolved', 'origin/main')
    await tree.push(owner, 'two')
    expect((await developer.get(`${at}/${two.iid}`)).body).toMatchObject({ detailed_merge_status: 'mergeable' })
    expect((await developer.get(`${at}/${two.iid}/versions`)).body).toHaveLength(2)
    const { body } = await mergeOf(two.iid, { squash: true })
    expect(body).toMatchObject({ state: 'merged', squash_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/) })
    await fetched()
    expect(await tree.run('rev-list', '--count', `${before}..origin/main`)).toBe('2')
    expect(await look(body.squash_commit_sha, '%s|%an|%cn')).toBe(
      `Merge two|${developer.username} person|${place.maintainer.username} person`,
    )
  })

  test('of two at once for one request: one succeeds', async () => {
    const { iid } = await openRequest(place, 'f')
    const answers = await Promise.all([1, 2, 3].map(() => mergeOf(iid)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 405, 405])
  })

  test('of several requests at once: all succeed, one after another', async () => {
    const made = []
    for (const name of ['a', 'b', 'c', 'd']) made.push(await openRequest(place, name))
    const answers = await Promise.all(made.map(({ iid }) => mergeOf(iid)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await fetched()
    for (const { sha } of made) await place.tree.run('merge-base', '--is-ancestor', sha, 'origin/main')
  })

  test('beside pushes to both branches loses no commit, and merges none that was not there', async () => {
    const { tree, owner } = place
    await owner.delete(`${place.base}/protected_branches/main`)
    const kept: string[] = []
    for (let round = 0; round < 6; round += 1) {
      const name = `r${round}`
      const { iid, sha } = await openRequest(
        place,
        name,
        { [`${name}.txt`]: 'x' },
        { remove_source_branch: false },
        { from: 'main' },
      )
      await fetched()
      await tree.run('checkout', '--quiet', '-B', 'main', 'origin/main')
      await tree.commit(`direct ${round}`, { [`direct-${round}.txt`]: 'x' })
      const direct = await tree.run('rev-parse', 'HEAD')
      await tree.run('checkout', '--quiet', '-B', `${name}-more`, sha)
      await tree.commit(`later ${round}`, { [`later-${round}.txt`]: 'x' })
      const later = await tree.run('rev-parse', 'HEAD')
      const [merged, pushed, moved] = await Promise.all([
        mergeOf(iid, { sha }),
        tree.push(owner, `${direct}:refs/heads/main`),
        tree.push(owner, `${later}:refs/heads/${name}`),
      ])
      await fetched()
      const holds = (commit: string) =>
        tree.run('merge-base', '--is-ancestor', commit, 'origin/main').then(
          () => true,
          () => false,
        )
      expect([200, 405, 409, 422]).toContain(merged.status)
      expect(moved.isAccepted).toBe(true)
      if (pushed.isAccepted) kept.push(direct)
      if (merged.status === 200) kept.push(sha)
      else expect(await holds(sha)).toBe(false)
      expect(await holds(later)).toBe(false)
      for (const commit of kept) expect([round, commit, await holds(commit)]).toEqual([round, commit, true])
      await tree.run('checkout', '--quiet', '-B', 'main', 'origin/main')
    }
    expect(kept.length).toBeGreaterThanOrEqual(6)
  })
})

describe('the method of the project', () => {
  test('`ff` moves the target without a commit, and needs a rebase when the target is ahead', async () => {
    await set({ merge_method: 'ff' })
    const one = await openRequest(place, 'one')
    const two = await openRequest(place, 'two')
    const { body } = await mergeOf(one.iid)
    expect(body).toMatchObject({ state: 'merged', merge_commit_sha: null })
    const look = await fetched()
    expect(await look('origin/main')).toBe(one.sha)
    const { developer, at } = place
    expect((await developer.get(`${at}/${two.iid}`)).body.detailed_merge_status).toBe('need_rebase')
    expect(await mergeOf(two.iid)).toMatchObject(cannotBeMerged)
    const counted = await developer.get(`${at}/${two.iid}?include_diverged_commits_count=true`)
    expect(counted.body.diverged_commits_count).toBe(1)
    expect(await developer.put(`${at}/${two.iid}/rebase`)).toMatchObject({
      status: 202,
      body: { rebase_in_progress: true },
    })
    const rebased = async () => (await developer.get(`${at}/${two.iid}?include_rebase_in_progress=true`)).body
    await expect.poll(async () => (await rebased()).rebase_in_progress).toBe(false)
    expect(await rebased()).toMatchObject({ merge_error: null, detailed_merge_status: 'mergeable' })
    const merged = await mergeOf(two.iid)
    expect(merged.body).toMatchObject({ state: 'merged', merge_commit_sha: null })
    await fetched()
    expect(await look('origin/main')).toBe(merged.body.sha)
    expect(await place.tree.run('rev-list', '--merges', 'origin/main')).toBe('')
  })

  test('`rebase_merge` makes a commit, but only on top of the target', async () => {
    await set({ merge_method: 'rebase_merge', squash_option: 'always' })
    const one = await openRequest(place, 'one')
    const two = await openRequest(place, 'two')
    const { body } = await mergeOf(one.iid)
    const look = await fetched()
    expect(await look('origin/main', '%P')).toBe(
      `${await place.tree.run('rev-parse', 'main')} ${body.squash_commit_sha}`,
    )
    expect(body).toMatchObject({ squash_on_merge: true })
    expect((await place.developer.get(`${place.at}/${two.iid}`)).body.detailed_merge_status).toBe('need_rebase')
  })

  test('has templates of the messages', async () => {
    await set({
      merge_commit_template:
        '%{title}: %{source_branch} to %{target_branch}\n\n%{description}\n\n%{issues}\n\n%{unknown} %{reference}',
      squash_commit_template: 'S %{title} by %{merged_by}',
    })
    const { iid } = await openRequest(place, 'f', undefined, { title: 'T', squash: true })
    const { body } = await mergeOf(iid)
    const look = await fetched()
    expect(await look('origin/main', '%B')).toBe(`T: f to main\n\n%{unknown} ${place.path}!${iid}`)
    const { username } = place.maintainer
    expect(await look(body.squash_commit_sha, '%B')).toBe(`S T by ${username} person <${username}@example.com>`)
    const other = await openRequest(place, 'g')
    await mergeOf(other.iid, { merge_commit_message: 'mine' })
    await fetched()
    expect(await look('origin/main', '%B')).toBe('mine')
  })
})

describe('a rebase', () => {
  test('that conflicts leaves the branch as it is', async () => {
    const { iid, sha } = await openRequest(place, 'f', { 'a.txt': textWith(1, 'f') })
    await pushBranch(place, 'main', { 'a.txt': textWith(1, 'main') })
    const { developer, at } = place
    expect((await developer.put(`${at}/${iid}/rebase`)).status).toBe(202)
    const state = async () => (await developer.get(`${at}/${iid}?include_rebase_in_progress=true`)).body
    await expect.poll(async () => (await state()).rebase_in_progress).toBe(false)
    expect(await state()).toMatchObject({
      sha,
      merge_error: 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.',
    })
  })

  test('is refused with the reason', async () => {
    const { iid } = await openRequest(place, 'f')
    const { developer, reporter, owner, at, base } = place
    const refused = (reason: string) => ({ status: 403, body: { message: `403 Forbidden - ${reason}` } })
    expect(await reporter.put(`${at}/${iid}/rebase`)).toMatchObject(refused('Cannot push to source branch'))
    await owner.post(`${base}/protected_branches`, { name: 'f', push_access_level: 30 })
    expect(await developer.put(`${at}/${iid}/rebase`)).toMatchObject(
      refused('Source branch is protected from force push'),
    )
    await owner.delete(`${base}/protected_branches/f`)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('merge_requests').set({ rebase_started_at: new Date().toISOString() }).execute(),
    )
    expect(await developer.put(`${at}/${iid}/rebase`)).toMatchObject({
      status: 409,
      body: {
        message: 'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.',
      },
    })
    await owner.delete(`${base}/repository/branches/f`)
    expect(await developer.put(`${at}/${iid}/rebase`)).toMatchObject(refused('Source branch does not exist'))
  })
})

test('a trial merge writes a ref, again for other heads, and none on a conflict', async () => {
  const { iid, sha } = await openRequest(place, 'f', { 'a.txt': textWith(2, 'f') })
  const { developer, at, tree } = place
  const first = await developer.get(`${at}/${iid}/merge_ref`)
  expect(first.status).toBe(200)
  expect((await developer.get(`${at}/${iid}/merge_ref`)).body).toEqual(first.body)
  const url = `${server.url.replace('//', `//o:${place.owner.token}@`)}/${place.path}.git`
  await tree.run('fetch', '--quiet', url, `refs/merge-requests/${iid}/merge`)
  expect(await tree.run('log', '-1', '--format=%H %P', 'FETCH_HEAD')).toBe(
    `${first.body.commit_id} ${await tree.run('rev-parse', 'main')} ${sha}`,
  )
  await pushBranch(place, 'main', { 'b.txt': 'x' })
  expect((await developer.get(`${at}/${iid}/merge_ref`)).body).not.toEqual(first.body)
  await pushBranch(place, 'main', { 'a.txt': textWith(2, 'main') })
  expect(await developer.get(`${at}/${iid}/merge_ref`)).toMatchObject({
    status: 400,
    body: { message: 'Merge request is not mergeable' },
  })
})

describe('a push', () => {
  test('of the merge to the target marks the request as merged, by the pusher', async () => {
    const { iid, sha } = await openRequest(place, 'g')
    const { tree, maintainer, developer, at } = place
    await tree.run('checkout', '--quiet', 'main')
    await tree.run('merge', '--quiet', '--no-ff', '-m', 'by hand', 'g')
    expect((await tree.push(maintainer, 'main')).isAccepted).toBe(true)
    const { body } = await developer.get(`${at}/${iid}`)
    const tip = await tree.run('rev-parse', 'HEAD')
    expect(body).toMatchObject({ state: 'merged', sha, merge_user: { id: maintainer.id }, merge_commit_sha: tip })
  })

  test('to the source makes a version, withdraws approvals, and moves the ref', async () => {
    const { iid } = await openRequest(place, 'f')
    const { database } = server.app.platform
    const { developer, at, tree } = place
    const { body } = await developer.get(`${at}/${iid}`)
    const at_ = new Date().toISOString()
    await database.write((tx) =>
      tx
        .insertInto('approvals')
        .values({ merge_request_id: body.id, user_id: place.maintainer.id, created_at: at_ })
        .execute(),
    )
    const sha = await pushBranch(place, 'f', { 'more.txt': 'x', 'a.txt': textWith(1, 'x') }, { from: 'f' })
    const after = await developer.get(`${at}/${iid}`)
    expect(after.body).toMatchObject({ sha, changes_count: '3' })
    expect(await database.read.selectFrom('approvals').selectAll().execute()).toEqual([])
    const url = `${server.url.replace('//', `//o:${place.owner.token}@`)}/${place.path}.git`
    expect(await tree.run('ls-remote', url, `refs/merge-requests/${iid}/head`)).toContain(sha)
    // The first version can still be read after the branch was replaced.
    await pushBranch(place, 'f', { 'new.txt': 'x' }, { from: 'main' })
    const versions = (await developer.get(`${at}/${iid}/versions`)).body
    expect(versions).toHaveLength(3)
    const oldest = await developer.get(`${at}/${iid}/versions/${versions[2].id}`)
    expect(oldest.body.diffs.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['f.txt'])
  })

  test('that deletes the target keeps the request open', async () => {
    await pushBranch(place, 'target', {})
    const { iid } = await openRequest(place, 'f', undefined, { target_branch: 'target' })
    const { owner, base, developer, at } = place
    await owner.delete(`${base}/repository/branches/target`)
    expect((await developer.get(`${at}/${iid}`)).body).toMatchObject({
      ...{ state: 'opened', detailed_merge_status: 'commits_status', target_branch: 'target' },
    })
  })
})

test('a merge that deletes its branch gives the requests into it its own target', async () => {
  const parent = await openRequest(place, 'parent')
  const child = await openRequest(place, 'child', undefined, { target_branch: 'parent' }, { from: 'parent' })
  expect((await mergeOf(parent.iid, { should_remove_source_branch: true })).status).toBe(200)
  const shown = async () => (await place.developer.get(`${place.at}/${child.iid}`)).body
  const retargeted = { target_branch: 'main', state: 'opened', detailed_merge_status: 'mergeable' }
  expect(await shown()).toMatchObject(retargeted)

  // As when the process had been killed between the two.
  const { platform } = server.app
  const merging = { userId: place.maintainer.id, administrator: false, target: '', startedAt: '', process: 'ended' }
  await platform.database.write(async (tx) => {
    const rows = (iid: number) =>
      tx.updateTable('merge_requests').where('iid', '=', iid).where('project_id', '=', place.project.id)
    await rows(child.iid).set({ target_branch: 'parent' }).execute()
    await rows(parent.iid)
      .set({ merging: JSON.stringify(merging) })
      .execute()
  })
  await recoverEndedMerges({ ...platform, presence: { ...platform.presence, hasEnded: async () => true } })
  expect(await shown()).toMatchObject(retargeted)
})

test('a source branch that a killed process has locked is deleted when the lock is gone', async () => {
  const { platform } = server.app
  const row = await repositoryOfProject(platform.database.read, place.project.id)
  if (!row) throw new Error('no repository')
  const { iid } = await openRequest(place, 'locked')
  const lock = join((await openRow(platform, row)).directory, 'refs/heads/locked.lock')
  await writeFile(lock, '')
  expect((await mergeOf(iid, { should_remove_source_branch: true })).body.state).toBe('merged')
  const branch = async () => (await place.owner.get(`${place.base}/repository/branches/locked`)).status
  expect(await branch()).toBe(200)
  await rm(lock)
  const later = { now: () => new Date(platform.clock.now().getTime() + 300_000) }
  await recoverMergesJob.run({ ...platform, clock: { ...platform.clock, ...later } }, null, {} as never)
  expect(await branch()).toBe(404)
})
