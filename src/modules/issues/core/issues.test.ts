import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { projectWithMembers, startTestServer } from '../../../testing/index.ts'
import { at, createdIssue, issuesOf, people, project, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'tracked' })

describe('x.issue_create', () => {
  test('answers with the complete issue', async () => {
    const { maintainer } = people
    const made = await maintainer.post(at, {
      title: 'A',
      description: '- [ ] one\n- [x] two',
      labels: 'ui,bug',
      weight: 3,
      due_date: '2030-01-02',
      assignee_ids: [people.developer.id],
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      iid: 1,
      project_id: project.id,
      title: 'A',
      state: 'opened',
      closed_at: null,
      closed_by: null,
      labels: ['bug', 'ui'],
      milestone: null,
      assignees: [{ id: people.developer.id, username: 'developer' }],
      author: { username: 'maintainer' },
      type: 'ISSUE',
      assignee: { username: 'developer' },
      user_notes_count: 0,
      merge_requests_count: 0,
      upvotes: 0,
      downvotes: 0,
      due_date: '2030-01-02',
      confidential: false,
      discussion_locked: false,
      issue_type: 'issue',
      web_url: `${server.url}/owner/tracked/-/issues/1`,
      time_stats: {
        time_estimate: 0,
        total_time_spent: 0,
        human_time_estimate: null,
        human_total_time_spent: null,
      },
      task_completion_status: { count: 2, completed_count: 1 },
      weight: 3,
      blocking_issues_count: 0,
      has_tasks: true,
      task_status: '1 of 2 checklist items completed',
      _links: {
        self: `${server.url}/api/v4/projects/${project.id}/issues/1`,
        notes: `${server.url}/api/v4/projects/${project.id}/issues/1/notes`,
        award_emoji: `${server.url}/api/v4/projects/${project.id}/issues/1/award_emoji`,
        project: `${server.url}/api/v4/projects/${project.id}`,
        closed_as_duplicate_of: null,
      },
      references: { short: '#1', relative: '#1', full: 'owner/tracked#1' },
      severity: 'UNKNOWN',
      subscribed: true,
      moved_to_id: null,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
      epic_iid: null,
      epic: null,
      iteration: null,
      health_status: null,
    })
    const { body } = await people.guest.get(`${at}/1`)
    expect(body).toEqual({ ...made.body, subscribed: false })
  })
})

const form = (text: string) => ({ body: new URLSearchParams(text) })

describe('parameters of x.issue_create', () => {
  test.each([
    [{}, { error: 'title is missing', message: '400 (Bad request) "title" not given' }],
    [{ title: ' ' }, { message: { title: ["can't be blank"] } }],
    [{ title: 'x'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
    [
      { title: 'x', description: 'ä'.repeat(786_432) },
      { message: { description: ['is too long (1.5 MiB). The maximum size is 1 MiB.'] } },
    ],
    [{ title: 'x', due_date: 'soon' }, { message: { due_date: ['is invalid'] } }],
    [{ title: 'x', due_date: '2026-02-30' }, { message: { due_date: ['is invalid'] } }],
    [{ title: 'x', weight: -1 }, { message: { weight: ['must be greater than or equal to 0'] } }],
    [{ title: 'x', weight: 2 ** 31 }, { message: { weight: ['must be less than or equal to 2147483647'] } }],
    [
      { title: 'x', issue_type: 'epic' },
      {
        error: 'issue_type does not have a valid value',
        message: { issue_type: ['does not have a valid value'] },
      },
    ],
    [
      { title: 'x', epic_id: 1, epic_iid: 1 },
      {
        error: 'epic_id, epic_iid are mutually exclusive',
        message: { epic_id: ['are mutually exclusive'], epic_iid: ['are mutually exclusive'] },
      },
    ],
    [{ title: 'x', iteration_id: 99 }, { message: { iteration_id: ['is invalid'] } }],
    [
      { title: 'x', health_status: 'ill' },
      {
        error: 'health_status does not have a valid value',
        message: { health_status: ['does not have a valid value'] },
      },
    ],
  ])('%j is refused', async (given, body) => {
    expect(await people.maintainer.post(at, given)).toMatchObject({ status: 400, body })
  })

  test('an unknown epic is answered by 422', async () => {
    const answer = await people.maintainer.post(at, { title: 'x', epic_id: 99 })
    expect([answer.status, answer.body]).toEqual([422, { message: 'Epic not found' }])
  })

  test('take more labels than a filter, up to the limit of one request', async () => {
    const titles = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`)
    const created = await createdIssue(people.reporter, project, { labels: titles(150, 'many-').join(',') })
    expect(created.labels).toEqual(titles(150, 'many-'))
    const path = `${at}/${created.iid}`
    const changed = await people.reporter.put(path, { labels: titles(1_000, 'other-') })
    expect([changed.status, changed.body.labels]).toEqual([200, titles(1_000, 'other-')])
    const added = await people.reporter.put(path, { add_labels: titles(1_001, 'x-') })
    expect(added).toMatchObject({ status: 400, body: { error: 'add_labels is invalid' } })
  })

  test('take a due date from a moment, labels and people from lists, and ignore what cannot be used', async () => {
    const issue = await createdIssue(people.reporter, project, {
      due_date: '2030-05-06T23:00:00-02:00',
      milestone_id: 99,
      labels: 'b, a ,,b',
      assignee_ids: [people.guest.id, people.outsider.id, 99_999, people.guest.id, 0],
    })
    expect(issue).toMatchObject({ due_date: '2030-05-06', milestone: null, labels: ['a', 'b'] })
    expect(issue.assignees.map(({ username }: { username: string }) => username)).toEqual(['guest'])
  })

  test('of a guest who plans nothing are dropped', async () => {
    const issue = await createdIssue(people.guest, project, {
      ...{ labels: 'x', weight: 1, due_date: '2030-01-01', assignee_ids: [people.guest.id], confidential: true },
      ...{ issue_type: 'incident', iid: 77, created_at: '2020-01-01' },
    })
    expect(issue).toMatchObject({ labels: [], weight: null, due_date: null, assignees: [], confidential: true })
    expect(issue).toMatchObject({ issue_type: 'issue', iid: expect.not.toSatisfy((iid: number) => iid === 77) })
    expect(issue.created_at.slice(0, 4)).not.toBe('2020')
  })

  test('of an owner may date and number the issue; a taken number is a conflict', async () => {
    const dated = { iid: 100, created_at: '2020-01-01T00:00:00Z' }
    const issue = await createdIssue(people.owner, project, dated)
    expect(issue).toMatchObject({
      ...{ iid: 100, created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-01T00:00:00.000Z' },
    })
    const again = await people.owner.post(at, { title: 'x', iid: 100 })
    expect([again.status, again.body]).toEqual([409, { message: 'Duplicated issue' }])
    expect((await createdIssue(people.guest, project)).iid).toBe(101)
  })

  test('of an administrator in the name of a guest may date and number the issue and its comments', async () => {
    const headers = { Sudo: 'guest' }
    const times = { created_at: '2020-01-01T00:00:00.000Z' }
    const { status, body } = await server.root.post(at, { title: 'x', iid: 200, ...times }, { headers })
    expect([status, body]).toMatchObject([201, { iid: 200, author: { username: 'guest' }, ...times }])
    const note = await server.root.post(`${at}/200/notes`, { body: 'x', ...times }, { headers })
    expect(note.body).toMatchObject({ author: { username: 'guest' }, ...times })
    const own = await people.guest.post(`${at}/200/notes`, { body: 'x', ...times })
    expect(own.body.created_at).not.toBe(times.created_at)
  })

  test('make incidents of reporters, with an address of their own', async () => {
    const incident = await createdIssue(people.reporter, project, { issue_type: 'incident' })
    expect(incident).toMatchObject({ type: 'INCIDENT', issue_type: 'incident' })
    expect(incident.web_url).toBe(`${server.url}/owner/tracked/-/issues/incident/${incident.iid}`)
    const task = await createdIssue(people.guest, project, { issue_type: 'task' })
    expect(task.web_url).toBe(`${server.url}/owner/tracked/-/work_items/${task.iid}`)
  })

  test('of parallel requests lead to consecutive iids', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => createdIssue(people.guest, project)))
    const iids = made.map(({ iid }) => iid).sort((left, right) => left - right)
    expect(iids).toEqual(Array.from({ length: 8 }, (_, index) => (iids[0] ?? 0) + index))
  })

  test('are limited per user and project', async () => {
    const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
    await using limited = await startTestServer({ clock })
    const { project, owner, developer, reporter } = await projectWithMembers(limited, { path: 'limited' })
    const other = (await projectWithMembers(limited, { people: { ...people, owner, developer }, path: 'other' }))
      .project
    await limited.root.put('/application/settings', { issues_create_limit: 1 })
    const create = (person = developer, of = project) => person.post(issuesOf(of), { title: 'x' })
    expect((await create()).status).toBe(201)
    clock.advance(59_999)
    const message = { error: 'This endpoint has been requested too many times. Try again later.' }
    expect(await create()).toMatchObject({ status: 429, body: { message } })
    expect((await create(reporter)).status).toBe(201)
    expect((await create(owner, other)).status).toBe(201)
    clock.advance(1)
    expect((await create()).status).toBe(201)
  })
})

describe('x.issue_get', () => {
  test('hides confidential issues from others than planners, the author and assignees', async () => {
    const { iid } = await createdIssue(people.guest, project, { confidential: true })
    const own = await createdIssue(people.maintainer, project, { confidential: true, assignee_ids: [people.guest.id] })
    const other = await createdIssue(people.maintainer, project, { confidential: true })
    const statuses = async (person: typeof people.guest) =>
      Promise.all([iid, own.iid, other.iid].map(async (number) => (await person.get(`${at}/${number}`)).status))
    expect(await statuses(people.guest)).toEqual([200, 200, 404])
    expect(await statuses(people.reporter)).toEqual([200, 200, 200])
    expect((await people.guest.get(`${at}/${other.iid}`)).body).toEqual({ message: '404 Not found' })
  })

  test.each([
    ['x', 400, { error: 'issue_iid is invalid', message: { issue_iid: ['is invalid'] } }],
    ['99999999', 404, { message: '404 Not found' }],
    ['9'.repeat(30), 404, { message: '404 Not found' }],
  ])('answers for the iid %s with %i', async (iid, status, body) => {
    expect(await people.owner.get(`${at}/${iid}`)).toMatchObject({ status, body })
  })

  test('is not found while the feature is off', async () => {
    const hidden = await projectWithMembers(server, { people, path: 'hidden', visibility: 'public' })
    const { iid } = await createdIssue(people.guest, hidden.project)
    await server.root.put(`/projects/${hidden.project.id}`, { issues_access_level: 'private' })
    expect((await people.outsider.get(`${issuesOf(hidden.project)}/${iid}`)).status).toBe(404)
    expect((await people.guest.get(`${issuesOf(hidden.project)}/${iid}`)).status).toBe(200)
    expect((await people.outsider.get(issuesOf(hidden.project))).body).toEqual([])
    await server.root.put(`/projects/${hidden.project.id}`, { issues_access_level: 'disabled' })
    expect((await people.owner.post(issuesOf(hidden.project), { title: 'x' })).status).toBe(404)
  })

  test('by the global id is for administrators', async () => {
    const { id } = await createdIssue(people.guest, project, { title: 'global' })
    expect((await server.root.get(`/issues/${id}`)).body).toMatchObject({ id, title: 'global', subscribed: false })
    expect((await server.root.get('/issues/99999999')).body).toEqual({ message: '404 Not found' })
    expect((await people.owner.get(`/issues/${id}`)).status).toBe(403)
    expect((await server.anonymous.get(`/issues/${id}`)).status).toBe(401)
  })
})

describe('x.issue_update', () => {
  test('needs a parameter', async () => {
    const { iid } = await createdIssue(people.guest, project)
    const { status, body } = await people.guest.put(`${at}/${iid}`, { unknown: 1 })
    expect(status).toBe(400)
    expect(body.error).toBe(
      'assignee_id, assignee_ids, confidential, created_at, description, discussion_locked, due_date, labels, add_labels, ' +
        'remove_labels, milestone_id, state_event, title, issue_type, weight, epic_id, epic_iid are missing, at least one ' +
        'parameter must be provided',
    )
  })

  test.each([
    [{ title: '' }, { message: { title: ["can't be blank"] } }],
    [{ confidential: '' }, { error: 'confidential is empty' }],
    [{ state_event: 'open' }, { error: 'state_event does not have a valid value' }],
    [{ title: 'x', health_status: 'x' }, { error: 'health_status does not have a valid value' }],
    [{ title: 'x', iteration_id: 9_999 }, { message: { iteration_id: ['is invalid'] } }],
  ])('refuses %j', async (given, body) => {
    const { iid } = await createdIssue(people.guest, project)
    expect(await people.maintainer.put(`${at}/${iid}`, given)).toMatchObject({ status: 400, body })
  })

  test('is for planners, the author and assignees', async () => {
    const { iid } = await createdIssue(people.maintainer, project)
    const answer = await people.guest.put(`${at}/${iid}`, { title: 'mine' })
    expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
    await people.maintainer.put(`${at}/${iid}`, { assignee_id: people.guest.id })
    const changed = await people.guest.put(`${at}/${iid}`, {
      title: 'mine',
      weight: 3,
      labels: 'x',
      confidential: true,
    })
    expect(changed.body).toMatchObject({ title: 'mine', weight: null, labels: [], confidential: true })
  })

  test('makes an incident of it for reporters, not for planners', async () => {
    const planner = await server.user('planner-of-incidents')
    await server.make.member({ project }, planner, 15)
    const { iid } = await createdIssue(people.maintainer, project)
    const typeAfter = async (person = planner, issue_type = 'incident') =>
      (await person.put(`${at}/${iid}`, { issue_type, title: `by ${person.username} as ${issue_type}` })).body
        .issue_type
    expect(await typeAfter()).toBe('issue')
    expect(await typeAfter(planner, 'task')).toBe('task')
    expect(await typeAfter(people.reporter)).toBe('incident')
    expect(await typeAfter(planner, 'issue')).toBe('issue')
    expect((await createdIssue(planner, project, { issue_type: 'incident' })).issue_type).toBe('issue')
    expect((await createdIssue(people.reporter, project, { issue_type: 'incident' })).issue_type).toBe('incident')
  })

  test('closes and reopens, and changes nothing the second time', async () => {
    const { iid } = await createdIssue(people.guest, project)
    const closed = await people.guest.put(`${at}/${iid}`, { state_event: 'close' })
    expect(closed.body).toMatchObject({ state: 'closed', closed_by: { username: 'guest' } })
    expect(closed.body.closed_at).toBe(closed.body.updated_at)
    const again = await people.maintainer.put(`${at}/${iid}`, { state_event: 'close' })
    expect(again.body).toEqual({ ...closed.body, subscribed: false })
    const reopened = await people.maintainer.put(`${at}/${iid}`, { state_event: 'reopen' })
    expect(reopened.body).toMatchObject({ state: 'opened', closed_at: null, closed_by: null })
  })

  test('sets, clears and keeps values, by JSON and by forms', async () => {
    const { iid } = await createdIssue(people.guest, project, { description: 'text' })
    const set = {
      weight: 5,
      due_date: '2031-01-01',
      labels: 'k::1,plain',
      assignee_ids: [people.guest.id],
      health_status: 'at_risk',
    }
    const changed = await people.maintainer.put(`${at}/${iid}`, set)
    expect(changed.body).toMatchObject({
      weight: 5,
      due_date: '2031-01-01',
      labels: ['k::1', 'plain'],
      health_status: 'at_risk',
    })
    const scoped = await people.maintainer.put(`${at}/${iid}`, { add_labels: ['k::2'], remove_labels: 'plain,unknown' })
    expect(scoped.body).toMatchObject({ labels: ['k::2'], weight: 5, description: 'text' })
    const cleared = await people.maintainer.request(
      'PUT',
      `${at}/${iid}`,
      form('weight=&due_date=&labels=&assignee_ids=0&health_status='),
    )
    expect(cleared.body).toMatchObject({ weight: null, due_date: null, labels: [], assignees: [], health_status: null })
    const nulls = await people.maintainer.put(`${at}/${iid}`, { description: null, weight: null, milestone_id: null })
    expect(nulls.body).toMatchObject({ description: null, weight: null, milestone: null })
  })

  test('moves `updated_at` on real changes only', async () => {
    const made = await createdIssue(people.guest, project, { title: 'kept' })
    const same = await people.guest.put(`${at}/${made.iid}`, { title: 'kept', confidential: false })
    expect(same.body.updated_at).toBe(made.updated_at)
    const dated = await people.owner.put(`${at}/${made.iid}`, { title: 'dated', updated_at: '2040-01-01' })
    expect(dated.body.updated_at).toBe('2040-01-01T00:00:00.000Z')
    const labelled = await people.maintainer.put(`${at}/${made.iid}`, { add_labels: 'moved' })
    expect(labelled.body.updated_at).not.toBe(dated.body.updated_at)
  })

  test('gives severities to incidents only', async () => {
    const { iid } = await createdIssue(people.reporter, project, { issue_type: 'incident' })
    expect((await people.reporter.put(`${at}/${iid}`, { title: 'x', severity: 'high' })).body.severity).toBe('HIGH')
    expect((await people.reporter.put(`${at}/${iid}`, { issue_type: 'issue' })).body.severity).toBe('UNKNOWN')
    expect((await people.reporter.put(`${at}/${iid}`, { title: 'y', severity: 'high' })).body.severity).toBe('UNKNOWN')
  })

  test('is refused in archived projects', async () => {
    const archived = await projectWithMembers(server, { people, path: 'archived' })
    const { iid } = await createdIssue(people.guest, archived.project)
    await people.owner.post(`/projects/${archived.project.id}/archive`)
    expect((await people.owner.put(`${issuesOf(archived.project)}/${iid}`, { title: 'x' })).status).toBe(403)
    expect((await people.owner.get(`${issuesOf(archived.project)}/${iid}`)).status).toBe(200)
  })
})

describe('x.issue_delete', () => {
  test('is for planners and owners, not for the roles between them', async () => {
    const planner = await server.user('planner')
    await server.make.member({ project }, planner, 15)
    const { iid } = await createdIssue(people.maintainer, project, { labels: 'gone' })
    const other = await createdIssue(people.maintainer, project)
    for (const person of [people.guest, people.reporter, people.developer, people.maintainer]) {
      expect((await person.delete(`${at}/${iid}`)).status).toBe(403)
    }
    const old = { headers: { 'If-Unmodified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' } }
    expect((await planner.delete(`${at}/${iid}`, old)).status).toBe(412)
    expect((await planner.delete(`${at}/${iid}`)).status).toBe(204)
    const gone = await people.owner.delete(`${at}/${iid}`)
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Issue Not Found' }])
    expect((await people.owner.delete(`${at}/${other.iid}`)).status).toBe(204)
    expect((await createdIssue(people.guest, project)).iid).toBeGreaterThan(other.iid)
    const left = await server.app.platform.database.read
      .selectFrom('issuable_labels')
      .innerJoin('labels', 'labels.id', 'issuable_labels.label_id')
      .selectAll()
      .where('title', '=', 'gone')
      .execute()
    expect(left).toEqual([])
  })
})
