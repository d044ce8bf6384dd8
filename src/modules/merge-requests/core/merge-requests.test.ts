import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch, textWith } from '../testing.ts'

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

const message = (...sentences: string[]) => ({ message: sentences })

describe('a new merge request', () => {
  test('has the object of the contract, a version and a ref', async () => {
    const { developer, at, tree, owner } = place
    const sha = await pushBranch(place, 'first', { 'a.txt': textWith(1, 'one') })
    const made = await developer.post(at, {
      source_branch: 'first',
      target_branch: 'main',
      title: 'Draft: x',
      description: '- [x] done\n- [ ] open',
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      ...{ iid: 1, title: 'Draft: x', state: 'opened', draft: true, work_in_progress: true, sha },
      ...{ source_branch: 'first', target_branch: 'main', detailed_merge_status: 'draft_status' },
      ...{ merge_status: 'can_be_merged', has_conflicts: false, changes_count: '1', squash: false },
      ...{ force_remove_source_branch: null, should_remove_source_branch: null, discussion_locked: null },
      ...{ author: { id: developer.id }, subscribed: true, first_contribution: true, user: { can_merge: false } },
      references: { short: '!1', relative: '!1', full: `${place.path}!1` },
      task_completion_status: { count: 2, completed_count: 1 },
    })
    const base = await tree.run('rev-parse', 'main')
    expect(made.body.diff_refs).toEqual({ base_sha: base, start_sha: base, head_sha: sha })
    expect((await developer.get(`${at}/1`)).body).toEqual(made.body)
    const listed = await tree.run('ls-remote', `${server.url.replace('//', `//o:${owner.token}@`)}/${place.path}.git`)
    expect(listed).toContain(`${sha}\trefs/merge-requests/1/head`)
    expect((await developer.get(`${at}/1/versions`)).body).toMatchObject([{ head_commit_sha: sha, real_size: '1' }])
  })

  test('is refused in the order and with the texts of the contract', async () => {
    const { developer, reporter, at, project } = place
    await openRequest(place, 'taken')
    const params = { source_branch: 'taken', target_branch: 'main', title: 'x' }
    const answer = async (changes: object) => {
      const { status, body } = await developer.post(at, { ...params, ...changes })
      return { status, body }
    }
    expect(await answer({})).toMatchObject({ status: 409 })
    expect((await answer({})).body.message[0]).toMatch(
      /^Another open merge request already exists for this source branch: !\d+$/,
    )
    expect(await answer({ source_branch: 'main' })).toEqual({
      status: 422,
      body: message("You can't use same project/branch for source and target"),
    })
    expect(await answer({ target_project_id: project.id + 1 })).toEqual({
      status: 422,
      body: message('Source project is not a fork of the target project'),
    })
    expect(await answer({ source_branch: 'nope', target_branch: 'neither', title: ' ' })).toEqual({
      status: 400,
      body: {
        message: { source_branch: ['does not exist'], target_branch: ['does not exist'], title: ["can't be blank"] },
      },
    })
    expect((await answer({ title: 'x'.repeat(256), source_branch: 'main2' })).body.message.title).toEqual([
      'is too long (maximum is 255 characters)',
    ])
    const { body } = await developer.post(at, { ...params, title: undefined })
    expect(body.error).toBe('title is missing')
    expect((await reporter.post(at, params)).status).toBe(403)
    expect((await answer({ description: 'x'.repeat(1_572_864) })).body.message.description).toEqual([
      'is too long (1.5 MiB). The maximum size is 1 MiB.',
    ])
  })

  test('of two at once with the same branches one wins', async () => {
    await pushBranch(place, 'race', { 'race.txt': 'x' })
    const params = { source_branch: 'race', target_branch: 'main', title: 'race' }
    const answers = await Promise.all([1, 2, 3, 4].map(() => place.developer.post(place.at, params)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })
})

describe('a change', () => {
  test('needs a parameter, and a title that is not empty', async () => {
    const { iid } = await openRequest(place, 'changed')
    const { developer, at } = place
    const none = await developer.put(`${at}/${iid}`, {})
    expect(none.body.error).toBe(
      'assignee_id, assignee_ids, reviewer_ids, description, labels, add_labels, remove_labels, milestone_id, ' +
        'remove_source_branch, allow_collaboration, allow_maintainer_to_push, squash, target_branch, title, ' +
        'state_event, discussion_locked, merge_after are missing, at least one parameter must be provided',
    )
    expect((await developer.put(`${at}/${iid}`, { title: '' })).body.error).toBe('title is empty')
    expect((await developer.get(`${at}/x`)).body.error).toBe('merge_request_iid is invalid')
    for (const iid of ['999', '2147483648', '9223372036854775807']) {
      expect(await developer.get(`${at}/${iid}`)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
  })

  test('closes and reopens, unless another has the branches meanwhile', async () => {
    const { iid } = await openRequest(place, 'closing')
    const { developer, at } = place
    const closed = await developer.put(`${at}/${iid}`, { state_event: 'close' })
    expect(closed.body).toMatchObject({
      state: 'closed',
      closed_by: { id: developer.id },
      detailed_merge_status: 'not_open',
    })
    const params = { source_branch: 'closing', target_branch: 'main', title: 'again' }
    const other = await developer.post(at, params)
    expect(other.status).toBe(201)
    expect(await developer.put(`${at}/${iid}`, { state_event: 'reopen' })).toMatchObject({
      status: 409,
      body: message(`Another open merge request already exists for this source branch: !${other.body.iid}`),
    })
    await developer.put(`${at}/${other.body.iid}`, { state_event: 'close' })
    const sha = await pushBranch(place, 'closing', { 'more.txt': 'x' }, { from: 'closing' })
    const reopened = await developer.put(`${at}/${iid}`, { state_event: 'reopen' })
    expect(reopened.body).toMatchObject({ state: 'opened', closed_by: null, closed_at: null, sha })
  })

  test('of the target makes a new version', async () => {
    const { iid } = await openRequest(place, 'moving')
    await pushBranch(place, 'other', { 'other.txt': 'x' })
    const { developer, at } = place
    const changed = await developer.put(`${at}/${iid}`, { target_branch: 'other', title: 'Draft: later' })
    expect(changed.body).toMatchObject({ target_branch: 'other', draft: true })
    expect((await developer.get(`${at}/${iid}/versions`)).body).toHaveLength(2)
    expect((await developer.put(`${at}/${iid}`, { target_branch: 'moving' })).status).toBe(422)
    expect((await developer.put(`${at}/${iid}`, { target_branch: 'nope' })).body).toEqual({
      message: { target_branch: ['does not exist'] },
    })
  })

  test('is for developers, and for the author as a reporter, who plans nothing', async () => {
    const { iid } = await openRequest(place, 'rights')
    const { reporter, developer, at } = place
    expect((await reporter.put(`${at}/${iid}`, { title: 'y' })).status).toBe(403)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('merge_requests').set({ author_id: reporter.id }).where('iid', '=', iid).execute(),
    )
    const changed = await reporter.put(`${at}/${iid}`, { title: 'y', labels: 'a', assignee_ids: [developer.id] })
    expect(changed.body).toMatchObject({ title: 'y', labels: [], assignees: [] })
    const planned = await developer.put(`${at}/${iid}`, {
      ...{ labels: 'b,a', assignee_ids: [developer.id, place.guest.id], reviewer_ids: [reporter.id] },
    })
    expect(planned.body).toMatchObject({ labels: ['a', 'b'], reviewers: [{ id: reporter.id }] })
    expect(planned.body.assignees.map(({ id }: { id: number }) => id)).toEqual([developer.id])
  })
})

test('a deleted one is gone, its branches stay, and its number is not given again', async () => {
  const { iid } = await openRequest(place, 'deleted')
  const { developer, owner, at, base } = place
  expect((await developer.delete(`${at}/${iid}`)).status).toBe(403)
  const past = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
  expect((await owner.delete(`${at}/${iid}`, { headers: past })).status).toBe(412)
  expect((await owner.delete(`${at}/${iid}`)).status).toBe(204)
  expect((await owner.get(`${at}/${iid}`)).status).toBe(404)
  expect((await owner.get(`${base}/repository/branches/deleted`)).status).toBe(200)
  expect((await openRequest(place, 'next')).iid).toBe(iid + 1)
})
