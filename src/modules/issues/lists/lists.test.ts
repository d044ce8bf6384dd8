import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Client, projectWithMembers, queriesOf, startTestServer } from '../../../testing/index.ts'
import { at, createdIssue, iidsAt, issuesOf, people, project, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'listed' })

describe('a filter is refused', () => {
  test.each([
    ['assignee_id=me', 'assignee_id should be an integer, none, or any, however got me'],
    ['epic_id=x', 'epic_id should be an integer, none, or any, however got x'],
    ['weight=heavy', 'weight should be an integer, none, or any, however got heavy'],
    ['iteration_id=x', 'iteration_id should be an integer, none, any, or current, however got x'],
    ['author_id=x', 'author_id is invalid'],
    ['created_after=x', 'created_after is invalid'],
    ['due_date=soon', 'due_date does not have a valid value'],
    ['health_status=x', 'health_status does not have a valid value'],
    ['iids=1,x', 'iids is invalid'],
    ['iids[]=x', 'iids is invalid'],
    ['issue_type=epic', 'issue_type does not have a valid value'],
    ['milestone_id=none', 'milestone_id does not have a valid value'],
    ['order_by=name', 'order_by does not have a valid value'],
    ['order_by=id', 'order_by does not have a valid value'],
    ['sort=up', 'sort does not have a valid value'],
    ['scope=mine', 'scope does not have a valid value'],
    ['state=open', 'state does not have a valid value'],
    ['confidential=perhaps', 'confidential is invalid'],
    ['not=x', 'not is invalid'],
    ['assignee_id=None&assignee_username[]=a', 'assignee_id, assignee_username are mutually exclusive'],
    ['author_id=1&author_username=a', 'author_id, author_username are mutually exclusive'],
    ['milestone_id=Any&milestone=a', 'milestone_id, milestone are mutually exclusive'],
    ['iteration_id=1&iteration_title=a', 'iteration_id, iteration_title are mutually exclusive'],
    ['not[assignee_id]=1&not[assignee_username]=a', 'not[assignee_id], not[assignee_username] are mutually exclusive'],
    ['not[milestone_id]=Any&not[milestone]=a', 'not[milestone_id], not[milestone] are mutually exclusive'],
  ])('%s', async (query, error) => {
    for (const path of [at, '/issues']) {
      const { status, body } = await people.owner.get(`${path}?${query}`)
      expect([status, body.error]).toEqual([400, error])
    }
  })

  test('scopes with hyphens, in the statistics of the instance only', async () => {
    expect((await people.owner.get('/issues_statistics?scope=created-by-me')).status).toBe(400)
    expect((await people.owner.get(`/projects/${project.id}/issues_statistics?scope=created-by-me`)).status).toBe(200)
    expect((await people.owner.get('/issues?scope=created-by-me')).status).toBe(200)
  })

  test('more than a hundred names, and a cursor of another list', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `l${index}`).join()
    expect((await people.owner.get(`${at}?labels=${many}`)).body.error).toBe('labels is invalid')
    for (const cursor of [['x', 1], ['2026-01-01T00:00:00.000Z', 'x'], [1], ['2026-99-99T00:00:00.000Z', 1]]) {
      const text = Buffer.from(JSON.stringify(cursor)).toString('base64url')
      const { status, body } = await people.owner.get(`${at}?pagination=keyset&cursor=${text}`)
      expect([status, body.message]).toEqual([400, '400 Bad request - invalid cursor'])
    }
    expect((await people.owner.get(`${at}?pagination=keyset&order_by=title`)).status).toBe(405)
  })
})

test('empty values are no filters, and unknown parameters are ignored', async () => {
  const { iid } = await createdIssue(people.guest, project, { title: 'unfiltered' })
  const empty =
    'labels=&milestone=&search=&state=&author_username=&assignee_username[]=&due_date=&order_by=&iids=&scope=&not[labels]=&x=1'
  expect(await iidsAt(people.guest, `${at}?${empty}`)).toContain(iid)
})

describe('the lists', () => {
  test('show confidential issues to those who may read them', async () => {
    const other = await createdIssue(people.maintainer, project, { confidential: true })
    const assigned = await createdIssue(people.maintainer, project, {
      ...{ confidential: true, assignee_ids: [people.guest.id] },
    })
    for (const path of [at, '/issues?scope=all']) {
      const ids = async (person: typeof people.guest) =>
        (await person.get(path)).body.map(({ id }: { id: number }) => id)
      expect(await ids(people.guest)).toContain(assigned.id)
      expect(await ids(people.guest)).not.toContain(other.id)
      expect(await ids(people.reporter)).toEqual(expect.arrayContaining([other.id, assigned.id]))
    }
    const counts = async (person: typeof people.guest) =>
      (await person.get('/issues_statistics?scope=all&confidential=true')).body.statistics.counts
    expect(await counts(people.guest)).toEqual({ all: 1, closed: 0, opened: 1 })
    expect(await counts(people.reporter)).toEqual({ all: 2, closed: 0, opened: 2 })
  })

  test('of the instance contain what the caller wrote, and for anonymous callers what is public', async () => {
    const open = await projectWithMembers(server, { people, path: 'open', visibility: 'public' })
    const { id } = await createdIssue(people.outsider, open.project)
    const idsOf = ({ body }: { body: { id: number }[] }) => body.map((one) => one.id)
    expect(idsOf(await people.outsider.get('/issues'))).toEqual([id])
    expect(idsOf(await people.reporter.get('/issues'))).toEqual([])
    expect(idsOf(await people.reporter.get(`/issues?author_id=${people.outsider.id}`))).toEqual([])
    expect(idsOf(await people.reporter.get(`/issues?author_id=${people.outsider.id}&scope=all`))).toEqual([id])
    expect((await server.anonymous.get('/issues')).status).toBe(401)
    expect((await server.anonymous.get('/issues_statistics')).status).toBe(401)
    expect(idsOf(await server.anonymous.get('/issues?scope=all'))).toEqual([id])
    expect((await server.anonymous.get('/issues_statistics?scope=all')).body.statistics.counts.all).toBe(1)
  })

  test('refer to issues relative to where they are listed', async () => {
    const group = await server.make.group('refer', people.owner)
    const below = await server.make.group('below', people.owner, { parent: group })
    const inside = await projectWithMembers(server, { people, path: 'inside', namespace: below })
    await createdIssue(people.owner, inside.project)
    const relative = async (path: string) => (await people.owner.get(path)).body[0].references.relative
    expect(await relative(issuesOf(inside.project))).toBe('#1')
    expect(await relative('/groups/refer/issues')).toBe('below/inside#1')
    expect(await relative('/groups/refer%2Fbelow/issues')).toBe('inside#1')
    expect(await relative('/issues')).toBe('refer/below/inside#1')
  })

  test('leave out archived projects of groups unless they are asked for', async () => {
    const group = await server.make.group('keeps', people.owner)
    const kept = await projectWithMembers(server, { people, path: 'kept', namespace: group })
    const { id } = await createdIssue(people.owner, kept.project)
    await people.owner.post(`/projects/${kept.project.id}/archive`)
    const found = async (path: string) => (await people.owner.get(path)).body.map((one: { id: number }) => one.id)
    expect(await found('/groups/keeps/issues')).toEqual([])
    expect(await found('/groups/keeps/issues?non_archived=false')).toEqual([id])
    expect(await found(issuesOf(kept.project))).toEqual([id])
  })

  test('show labels with their details when asked', async () => {
    const { iid } = await createdIssue(people.maintainer, project, { labels: 'detailed' })
    const { body } = await people.guest.get(`${at}?iids[]=${iid}&with_labels_details=true`)
    expect(body[0].labels).toEqual([
      {
        ...{ id: expect.any(Number), name: 'detailed', description: null, description_html: '' },
        ...{ text_color: '#FFFFFF', color: '#6699cc' },
      },
    ])
  })

  test('take as many queries for one issue as for many', async () => {
    const few = await projectWithMembers(server, { people, path: 'few' })
    const many = await projectWithMembers(server, { people, path: 'many' })
    const attributes = { labels: 'a,b', assignee_ids: [people.guest.id], weight: 1 }
    await createdIssue(people.maintainer, few.project, attributes)
    for (let number = 0; number < 12; number += 1) await createdIssue(people.maintainer, many.project, attributes)
    const queries = ({ project: of }: typeof few, query: string) =>
      queriesOf(server, () => people.guest.get(`${issuesOf(of)}?${query}`))
    for (const query of ['', 'labels=a&state=opened&assignee_username[]=guest', 'with_labels_details=true']) {
      expect(await queries(many, query)).toBe(await queries(few, query))
    }
    expect(await queries(many, '')).toBeLessThanOrEqual(24)
    expect(await queriesOf(server, () => people.guest.get('/issues?scope=all'))).toBeLessThanOrEqual(24)
  })
})

describe('search', () => {
  const search = (text: string, more = '') => iidsAt(people.guest, `${at}?search=${encodeURIComponent(text)}${more}`)

  test('finds parts of words in any case, and follows changes of the text', async () => {
    const { iid } = await createdIssue(people.guest, project, {
      ...{ title: 'Größenwahn of "Foo"', description: `100% ${'pad '.repeat(5_000)} NEEDLE` },
    })
    for (const text of ['ÖSSENWAHN', 'größEN', 'öß', 'f foo', 'needle', '100%', '"of "', 'n', 'GRÖSSE'.slice(0, 2)]) {
      expect([text, await search(text)]).toEqual([text, expect.arrayContaining(text === 'ÖSSENWAHN' ? [] : [iid])])
    }
    expect(await search('größenwahn', '&in=description')).toEqual([])
    expect(await search('größenwahn', '&in=title,unknown')).toEqual([iid])
    expect(await search('größenwahn absent')).toEqual([])
    await people.guest.put(`${at}/${iid}`, { title: 'Renamed', description: 'short' })
    expect(await search('größenwahn')).toEqual([])
    expect(await search('needle')).toEqual([])
    expect(await search('RENAM short')).toEqual([iid])
    await people.owner.delete(`${at}/${iid}`)
    expect(await search('renam')).toEqual([])
  })

  test.each([
    'x y '.repeat(1_500),
    Array.from({ length: 600 }, (_, index) => `t${index}`).join(' '),
    '"',
    '""',
    'a* OR b:c ^d (e) -f NEAR(g h)',
    '%%% ___ \\\\\\',
    '日本語 💥💥💥',
    `${'x'.repeat(4_096)} absent`,
  ])('accepts %s', async (text) => {
    const { status } = await people.guest.post('/issues?scope=all', undefined)
    expect(status).toBe(405)
    const answer = await people.guest.get(`${at}?search=${encodeURIComponent(text)}`)
    expect(answer.status).toBe(200)
  })

  test('is limited per minute', async () => {
    const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
    await using limited = await startTestServer({ clock })
    await limited.root.put('/application/settings', { search_rate_limit: 1, search_rate_limit_unauthenticated: 1 })
    const person = await limited.user('searcher')
    const open = '/issues?scope=all'
    const statuses = async (client: Client) => [
      (await client.get(`${open}&search=x`)).status,
      (await client.get(`${open}&search=x`)).status,
    ]
    expect(await statuses(person)).toEqual([200, 429])
    expect(await statuses(limited.anonymous)).toEqual([200, 429])
    expect((await person.get(`${open}&search=%20`)).status).toBe(200)
    clock.advance(60_000)
    expect(await statuses(person)).toEqual([200, 429])
  })
})

test('an author who does not exist is left out of nothing', async () => {
  await createdIssue(people.reporter, project, { title: 'written' })
  const all = await iidsAt(people.owner, `${at}?per_page=100`)
  expect(all.length).toBeGreaterThan(0)
  const stranger = encodeURIComponent('not[author_username]')
  expect(await iidsAt(people.owner, `${at}?per_page=100&${stranger}=nobody-of-this-name`)).toEqual(all)
  const written = (await people.owner.get(`${at}?per_page=100&author_username=${people.reporter.username}`)).body
  const others = await iidsAt(people.owner, `${at}?per_page=100&${stranger}=${people.reporter.username}`)
  expect(others).toEqual(all.filter((iid) => !written.some((issue: { iid: number }) => issue.iid === iid)))
})

test('a milestone that is due today is not upcoming, and one that starts today has started', async () => {
  await using still = await startTestServer({ clock: manualClock({ start: '2026-03-02T12:00:00.000Z' }) })
  const { project: planned, owner } = await projectWithMembers(still, { path: 'dated' })
  const dates = {
    'due yesterday': { due_date: '2026-03-01' },
    'due today': { due_date: '2026-03-02' },
    'due tomorrow': { due_date: '2026-03-03' },
    'starts today': { start_date: '2026-03-02' },
    'starts tomorrow': { start_date: '2026-03-03' },
  }
  for (const [title, given] of Object.entries(dates)) {
    const { status, body } = await owner.post(`/projects/${planned.id}/milestones`, { title, ...given })
    expect(status).toBe(201)
    expect((await owner.post(issuesOf(planned), { title, milestone_id: body.id })).status).toBe(201)
  }
  const titles = async (filter: object) => {
    const query = new URLSearchParams({ per_page: '100', ...filter })
    return (await owner.get(`${issuesOf(planned)}?${query}`)).body
      .map(({ title }: { title: string }) => title)
      .toSorted()
  }
  expect(await titles({ milestone: '#upcoming' })).toEqual(['due tomorrow'])
  expect(await titles({ milestone_id: 'Upcoming' })).toEqual(['due tomorrow'])
  expect(await titles({ milestone: '#started' })).toEqual(['starts today'])
  expect(await titles({ milestone_id: 'Started' })).toEqual(['starts today'])
})

test('a milestone lists its issues by the priority of their labels', async () => {
  const group = await server.make.group('planned', people.owner)
  const planned = await projectWithMembers(server, { people, path: 'planned', namespace: group })
  const { owner } = people
  await owner.post(`/projects/${planned.project.id}/labels`, { name: 'urgent', color: '#000000', priority: 0 })
  for (const [parent, path] of [
    ['groups', `/groups/${group.id}`],
    ['projects', `/projects/${planned.project.id}`],
  ] as const) {
    const { body: milestone } = await owner.post(`${path}/milestones`, { title: `of ${parent}` })
    const first = await createdIssue(owner, planned.project, { milestone_id: milestone.id, labels: 'urgent' })
    const second = await createdIssue(owner, planned.project, { milestone_id: milestone.id })
    const hidden = await createdIssue(owner, planned.project, { milestone_id: milestone.id, confidential: true })
    const at = `${path}/milestones/${milestone.id}/issues`
    expect(await iidsAt(owner, at)).toEqual([first.iid, hidden.iid, second.iid])
    if (parent === 'projects') expect(await iidsAt(people.guest, at)).toEqual([first.iid, second.iid])
    expect((await owner.get(`${path}/milestones/999999/issues`)).body).toEqual({ message: '404 Not found' })
  }
})
