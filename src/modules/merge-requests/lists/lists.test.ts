import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeMilestone } from '../../milestones/testing.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'

let server: TestServer
let place: Place
let milestoneId: number
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  const { developer, maintainer, reporter, at } = place
  milestoneId = (await makeMilestone(server, place, 'v1')).id
  await openRequest(place, 'one', undefined, { title: 'Draft: first', labels: 'bug', assignee_ids: [maintainer.id] })
  await openRequest(place, 'two', undefined, {
    title: 'second',
    reviewer_ids: [reporter.id],
    milestone_id: milestoneId,
  })
  await openRequest(place, 'three', undefined, { title: 'third thing', labels: 'bug,ui' })
  await openRequest(place, 'four', undefined, { title: 'fourth' })
  await developer.put(`${at}/3`, { state_event: 'close' })
  await maintainer.put(`${at}/4/merge`)
  await maintainer.post(`${at}/2/approve`)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const iidsOf = (body: { iid: number }[]) => body.map(({ iid }) => iid)
const listed = async (query: string) => {
  const { status, body } = await place.developer.get(`${place.at}?${query}`)
  return status === 200 ? iidsOf(body) : body
}

test('keyset pages by id', async () => {
  const { developer, at } = place
  const pages = `${at}?pagination=keyset&order_by=id&per_page=3`
  const first = await developer.get(pages)
  expect(iidsOf(first.body)).toEqual([4, 3, 2])
  const [next = ''] = /(?<=<)[^>]+(?=>; rel="next")/.exec(first.headers.get('link') ?? '') ?? []
  const second = await developer.get(next.slice(next.indexOf('/api/v4') + '/api/v4'.length))
  expect([iidsOf(second.body), second.headers.get('link')]).toEqual([[1], null])
  expect(iidsOf((await developer.get(`${pages}&sort=asc`)).body)).toEqual([1, 2, 3])
  // As for issues (contract 16).
  expect((await developer.get(`${at}?order_by=id`)).body).toMatchObject({
    error: 'order_by does not have a valid value',
  })
})

describe('the list of a project', () => {
  test.each<[string, number[]]>([
    ['', [4, 3, 2, 1]],
    ['sort=asc', [1, 2, 3, 4]],
    ['state=opened', [2, 1]],
    ['state=closed', [3]],
    ['state=merged', [4]],
    ['state=all&order_by=title&sort=asc', [1, 4, 2, 3]],
    ['order_by=merged_at', [4, 3, 2, 1]],
    ['wip=yes', [1]],
    ['wip=no&state=opened', [2]],
    ['labels=bug', [3, 1]],
    ['labels=bug,ui', [3]],
    ['labels=None', [4, 2]],
    ['not[labels]=bug', [4, 2]],
    ['milestone=v1', [2]],
    ['milestone=None', [4, 3, 1]],
    ['source_branch=two', [2]],
    ['target_branch=main&state=opened', [2, 1]],
    ['target_branch=nope', []],
    ['reviewer_id=Any', [2]],
    ['reviewer_id=none&state=opened', [1]],
    ['assignee_id=Any', [1]],
    ['approved=yes', [2]],
    ['approved_by_ids[]=None', [4, 3, 1]],
    ['iids[]=1&iids[]=3', [3, 1]],
    ['iids[]=9223372036854775807', []],
    ['search=thing', [3]],
    ['search=first&in=description', []],
    ['author_username=nobody', []],
    ['scope=created-by-me&state=opened', [2, 1]],
    ['scope=assigned_to_me', []],
    ['with_merge_status_recheck=true&state=opened', [2, 1]],
    ['view=simple', [4, 3, 2, 1]],
    ['per_page=1&page=2', [3]],
    ['milestone_id=Any', [2]],
  ])('%s', async (query, expected) => {
    expect(await listed(query)).toEqual(expected)
  })

  test('by people', async () => {
    const { developer, maintainer, reporter } = place
    expect(await listed(`author_id=${developer.id}&state=opened`)).toEqual([2, 1])
    expect(await listed(`assignee_username[]=${maintainer.username}`)).toEqual([1])
    expect(await listed(`reviewer_username=${reporter.username}`)).toEqual([2])
    expect(await listed(`not[reviewer_username]=${reporter.username}`)).toEqual([4, 3, 1])
    expect(await listed(`merge_user_username=${maintainer.username}`)).toEqual([4])
    expect(await listed(`merge_user_id=${maintainer.id}`)).toEqual([4])
    expect(await listed(`approved_by_ids[]=${maintainer.id}`)).toEqual([2])
    const { body } = await reporter.get(`${place.at}?scope=reviews_for_me`)
    expect(iidsOf(body)).toEqual([2])
  })

  test.each([
    ['state=open', 'state does not have a valid value'],
    ['order_by=x', 'order_by does not have a valid value'],
    ['author_id=x', 'author_id is invalid'],
    ['reviewer_id=x', 'reviewer_id should be an integer, none, or any, however got x'],
    ['author_id=1&author_username=a', 'author_id, author_username are mutually exclusive'],
    ['reviewer_id=1&reviewer_username=a', 'reviewer_id, reviewer_username are mutually exclusive'],
    ['merge_user_id=1&merge_user_username=a', 'merge_user_id, merge_user_username are mutually exclusive'],
  ])('refuses %s', async (query, error) => {
    const { status, body } = await place.developer.get(`${place.at}?${query}`)
    expect({ status, error: body.error }).toEqual({ status: 400, error })
  })

  test('has unchecked statuses after the target has moved, until they are checked again', async () => {
    const statuses = async (query: string) =>
      (await place.developer.get(`${place.at}?state=opened&${query}`)).body.map(
        (one: { detailed_merge_status: string }) => one.detailed_merge_status,
      )
    await server.app.platform.database.write((tx) =>
      tx.updateTable('merge_requests').set({ checked_sha: null }).execute(),
    )
    expect(await statuses('')).toEqual(['unchecked', 'unchecked'])
    expect(await statuses('with_merge_status_recheck=true')).toEqual(['mergeable', 'draft_status'])
    expect(await statuses('')).toEqual(['mergeable', 'draft_status'])
  })

  test('has fewer members with `view=simple`, and labels with details on request', async () => {
    const [one] = (await place.developer.get(`${place.at}?view=simple&iids[]=1`)).body
    expect(Object.keys(one).sort()).toEqual(
      ['created_at', 'description', 'id', 'iid', 'project_id', 'state', 'title', 'updated_at', 'web_url'].sort(),
    )
    const [detailed] = (await place.developer.get(`${place.at}?iids[]=1&with_labels_details=true`)).body
    expect(detailed.labels).toMatchObject([{ name: 'bug', color: expect.any(String) }])
  })

  test('takes the same number of queries for any number of rows', async () => {
    const { developer, at } = place
    const few = await queriesOf(server, () => developer.get(`${at}?per_page=3`))
    expect(await queriesOf(server, () => developer.get(`${at}?per_page=100`))).toBe(few)
  })
})

describe('the list of the instance', () => {
  test('is that of the caller, unless a scope says otherwise', async () => {
    const { developer, maintainer, outsider } = place
    expect((await developer.get('/merge_requests')).body).toHaveLength(4)
    expect((await maintainer.get('/merge_requests')).body).toEqual([])
    expect((await maintainer.get('/merge_requests?scope=all')).body).toHaveLength(4)
    expect((await outsider.get('/merge_requests?scope=all')).body).toEqual([])
    expect((await server.anonymous.get('/merge_requests')).status).toBe(401)
    expect((await server.anonymous.get('/merge_requests?scope=all')).body).toEqual([])
  })

  test('is without those of private projects for guests', async () => {
    expect((await place.guest.get('/merge_requests?scope=all')).body).toEqual([])
    expect((await place.guest.get(place.at)).status).toBe(403)
    const [full] = (await place.maintainer.get('/merge_requests?scope=all&per_page=1')).body
    expect(full.references.relative).toBe(`${place.path}!4`)
  })
})

test('lists of groups and milestones', async () => {
  const { developer, guest, base } = place
  const group = await server.make.group('listing', developer)
  expect((await developer.get(`/groups/${group.id}/merge_requests`)).body).toEqual([])
  const milestone = await developer.get(`${base}/milestones/${milestoneId}/merge_requests`)
  expect(iidsOf(milestone.body)).toEqual([2])
  expect((await guest.get(`${base}/milestones/${milestoneId}/merge_requests`)).body).toEqual([])
  expect((await developer.get(`${base}/milestones/999999/merge_requests`)).status).toBe(404)
})

test('members of a group see the requests of its private projects from reporters on', async () => {
  const { guest, reporter, owner, base } = place
  const group = await server.make.group('reported', owner)
  expect((await server.root.put(`${base}/transfer`, { namespace: group.id })).status).toBe(200)
  await server.make.member({ namespace: group }, guest, 10)
  await server.make.member({ namespace: group }, reporter, 20)
  const at = `/groups/${group.id}/merge_requests`
  expect((await guest.get(at)).body).toEqual([])
  expect(iidsOf((await reporter.get(at)).body)).toEqual([4, 3, 2, 1])
})

test('labels count the open merge requests that the caller can see', async () => {
  const { developer, guest, base } = place
  const counts = async (person: typeof developer) => {
    const { body } = await person.get(`${base}/labels?with_counts=true`)
    type Counted = { name: string; open_merge_requests_count: number }
    return body.map((label: Counted) => [label.name, label.open_merge_requests_count])
  }
  expect(await counts(developer)).toEqual([
    ['bug', 1],
    ['ui', 0],
  ])
  expect(await counts(guest)).toEqual([
    ['bug', 0],
    ['ui', 0],
  ])
})

test('a list tells the approvals, and the pipelines to those who may read them', async () => {
  const { developer, maintainer, base, owner } = place
  const files = { '.gitlab-ci.yml': 'job:\n  script: echo\n' }
  const { iid } = await openRequest(place, 'piped', files)
  await maintainer.post(`${place.at}/${iid}/approve`)
  const listed = async (query: string) => (await developer.get(`${place.at}?iids[]=${iid}${query}`)).body[0]
  const details = () => listed('&with_review_details=true')
  await expect.poll(async () => (await details()).head_pipeline).toMatchObject({ status: 'pending', ref: 'piped' })
  expect(await details()).toMatchObject({ approvals_given: 1, approvals_left: 0 })
  const everywhere = '/merge_requests?scope=all&with_review_details=true&search=piped'
  expect((await developer.get(everywhere)).body).toMatchObject([{ iid, head_pipeline: { ref: 'piped' } }])
  await owner.put(base, { builds_access_level: 'disabled' })
  expect(await details()).not.toHaveProperty('head_pipeline')
  expect((await developer.get(everywhere)).body[0]).not.toHaveProperty('head_pipeline')
  expect(await listed('')).not.toHaveProperty('approvals_given')
})
