import { describe, expect, test } from 'vitest'
import { type Person, projectWithMembers } from '../../../testing/index.ts'
import { at, createdIssue, issuesOf, people, project, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'active', visibility: 'public' })

describe('notes of an issue', () => {
  test('are counted, move `updated_at`, and are deleted with it', async () => {
    const issue = await createdIssue(people.guest, project)
    const path = `${at}/${issue.iid}`
    const note = await people.guest.post(`${path}/notes`, { body: 'said' })
    expect(note).toMatchObject({
      status: 201,
      body: { noteable_type: 'Issue', noteable_iid: issue.iid, resolvable: false },
    })
    const read = (await people.guest.get(path)).body
    expect(read).toMatchObject({ user_notes_count: 1, subscribed: true })
    expect(read.updated_at >= note.body.created_at).toBe(true)
    expect((await people.guest.get(`${path}/notes`)).body).toHaveLength(1)
    expect((await server.anonymous.get(`${path}/notes`)).status).toBe(401)
    await people.owner.delete(path)
    expect((await people.guest.get(`${path}/notes`)).status).toBe(404)
  })

  test('of a locked issue are for members, and internal ones for planners', async () => {
    const { iid } = await createdIssue(people.maintainer, project, { discussion_locked: true })
    const path = `${at}/${iid}/notes`
    expect((await people.outsider.post(path, { body: 'x' })).status).toBe(403)
    expect((await people.guest.post(path, { body: 'x', internal: true })).body.internal).toBe(false)
    const { body: internal } = await people.reporter.post(path, { body: 'y', internal: true })
    expect(internal.internal).toBe(true)
    expect((await people.guest.get(path)).body).toHaveLength(1)
    expect((await people.guest.get(`${path}/${internal.id}`)).body).toEqual({ message: '404 Note Not Found' })
  })

  test('mention issues and users, in descriptions too', async () => {
    const target = await createdIssue(people.guest, project)
    const source = await createdIssue(people.reporter, project, {
      description: `see #${target.iid}, @guest and @outsider`,
    })
    const notes = (await people.guest.get(`${at}/${target.iid}/notes`)).body
    expect(notes.map(({ body }: { body: string }) => body)).toEqual([`mentioned in issue #${source.iid}`])
    const todos = (await people.guest.get('/todos?action=mentioned')).body
    expect(todos[0]).toMatchObject({ target_type: 'Issue', target: { id: source.id } })
    const participants = (await people.guest.get(`${at}/${source.iid}/participants`)).body
    expect(participants.map(({ username }: { username: string }) => username)).toEqual([
      'reporter',
      'guest',
      'outsider',
    ])
  })
})

test('reactions to notes are listed at once, without those to notes that the caller may not read', async () => {
  const { iid } = await createdIssue(people.guest, project)
  const path = `${at}/${iid}`
  const noted = async (by: Person, given: object) => (await by.post(`${path}/notes`, { body: 'x', ...given })).body.id
  const open = await noted(people.guest, {})
  const internal = await noted(people.reporter, { internal: true })
  await people.guest.post(`${path}/notes/${open}/award_emoji`, { name: 'heart' })
  await people.reporter.post(`${path}/notes/${internal}/award_emoji`, { name: 'eyes' })
  await people.guest.post(`${path}/award_emoji`, { name: 'rocket' })
  const listed = async (by: Pick<Person, 'get'>) =>
    (await by.get(`${path}/note_award_emoji`)).body.map((one: { awardable_id: number; name: string }) => [
      one.awardable_id,
      one.name,
    ])
  expect(await listed(people.reporter)).toEqual([
    [open, 'heart'],
    [internal, 'eyes'],
  ])
  expect(await listed(people.guest)).toEqual([[open, 'heart']])
  expect(await listed(server.anonymous)).toEqual([[open, 'heart']])
})

test('threads may be internal, for those who may read them', async () => {
  const { iid } = await createdIssue(people.guest, project)
  const path = `${at}/${iid}/discussions`
  const start = async (by: Person) => (await by.post(path, { body: 'x', internal: true })).body.notes[0].internal
  expect(await start(people.guest)).toBe(false)
  expect(await start(people.reporter)).toBe(true)
  expect((await people.guest.get(path)).body).toHaveLength(1)
})

test('reactions are counted, order the list and filter it', async () => {
  const [one, other] = [await createdIssue(people.guest, project), await createdIssue(people.guest, project)]
  const path = `${at}/${one.iid}/award_emoji`
  expect((await people.guest.post(path, { name: '+1' })).body).toMatchObject({
    name: 'thumbsup',
    awardable_type: 'Issue',
  })
  expect((await people.guest.post(path, { name: 'thumbsup' })).body.message).toContain('has already been taken')
  expect((await people.guest.get(`${at}/${one.iid}`)).body).toMatchObject({ upvotes: 1, downvotes: 0 })
  const iids = `iids=${one.iid},${other.iid}`
  const listed = async (query: string) =>
    (await people.guest.get(`${at}?${iids}&${query}`)).body.map(({ iid }: { iid: number }) => iid)
  expect(await listed('order_by=popularity')).toEqual([one.iid, other.iid])
  expect(await listed('my_reaction_emoji=thumbsup')).toEqual([one.iid])
  expect(await listed('my_reaction_emoji=None')).toEqual([other.iid])
  const hidden = await createdIssue(people.owner, project, { confidential: true })
  const unreadable = await server.anonymous.get(`${at}/${hidden.iid}/award_emoji`)
  expect([unreadable.status, unreadable.body]).toEqual([404, { message: '404 Award Emoji Not Found' }])
})

test('time, subscriptions, to-dos and events are those of the issue', async () => {
  const { iid, id } = await createdIssue(people.guest, project, {})
  const path = `${at}/${iid}`
  const estimate = await people.reporter.post(`${path}/time_estimate`, { duration: '3h30m' })
  expect(estimate.body).toMatchObject({ time_estimate: 12_600, human_time_estimate: '3h 30m' })
  expect((await people.guest.post(`${path}/time_estimate`, { duration: '1h' })).status).toBe(403)
  expect((await people.reporter.post(`${path}/time_estimate`, { duration: 'abc' })).status).toBe(400)
  expect((await people.guest.get(path)).body.time_stats.human_time_estimate).toBe('3h 30m')
  expect((await people.outsider.post(`${path}/subscribe`)).body).toMatchObject({ iid, subscribed: true })
  expect((await people.outsider.post(`${path}/subscribe`)).status).toBe(304)
  expect((await people.outsider.post(`${path}/todo`)).body).toMatchObject({ action_name: 'marked', target: { id } })
  expect((await people.outsider.post(`${path}/todo`)).status).toBe(304)
  await people.reporter.put(path, { labels: 'a,b', weight: 1 })
  await people.reporter.put(path, { labels: 'b,c', state_event: 'close' })
  const events = async (kind: string) => (await people.guest.get(`${path}/resource_${kind}_events`)).body
  const labels = (await events('label')).map((one: { action: string; label: { name: string } }) => [
    one.action,
    one.label.name,
  ])
  expect(labels).toEqual([
    ['add', 'a'],
    ['add', 'b'],
    ['add', 'c'],
    ['remove', 'a'],
  ])
  expect(await events('weight')).toMatchObject([{ issue_id: id, weight: 1 }])
  expect(await events('state')).toMatchObject([{ resource_type: 'Issue', resource_id: id, state: 'closed' }])
})

test('quick actions link, close as a duplicate, move and clone', async () => {
  const { project: other } = await projectWithMembers(server, { people, path: 'acted' })
  const [one, two] = [await createdIssue(people.reporter, project), await createdIssue(people.reporter, project)]
  const act = (body: string) => people.maintainer.post(`${at}/${one.iid}/notes`, { body })
  expect((await act(`/blocks #${two.iid}`)).status).toBe(202)
  expect((await people.guest.get(`${at}/${one.iid}`)).body.blocking_issues_count).toBe(1)
  expect((await act('/relate #9999')).body).toEqual({ message: '400 Bad request - Could not apply relate command.' })
  expect((await act(`/clone ${other.full_path} --with_notes`)).status).toBe(202)
  expect((await people.maintainer.get(issuesOf(other))).body).toHaveLength(1)
  expect((await act(`/duplicate #${two.iid}`)).status).toBe(202)
  const { body } = await people.guest.get(`${at}/${one.iid}`)
  expect(body.state).toBe('closed')
  expect(body._links.closed_as_duplicate_of).toBe(`${server.url}/api/v4/projects/${project.id}/issues/${two.iid}`)
  await act(`/move ${other.full_path}`)
  expect((await people.guest.get(`${at}/${one.iid}`)).body.moved_to_id).toEqual(expect.any(Number))
})

test('quick actions in a new description are carried out and left out', async () => {
  const description = 'Text\n/label ~"of command"\n/weight 4\n/nothing\n/confidential'
  await people.maintainer.post(`/projects/${project.id}/labels`, { name: 'of command', color: '#000000' })
  const issue = await createdIssue(people.maintainer, project, { description })
  expect(issue).toMatchObject({ description: 'Text\n/nothing', labels: ['of command'], weight: 4, confidential: true })
  const guests = await createdIssue(people.guest, project, { description: '/weight 4\n/title Renamed' })
  expect(guests).toMatchObject({ description: '', weight: null, title: 'Renamed' })
  expect((await createdIssue(people.maintainer, project, { description: '/due someday' })).due_date).toBeNull()
})
