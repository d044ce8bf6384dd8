import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { insertSubgroups, removeSubgroups } from '../../groups/testing.ts'

let server: TestServer
let owner: Person
let guest: Person
let stranger: Person
const groups: Record<string, number> = {}

/** Epics by title: `top` has a to d, its group `inner` e, the private group `secret` below it f. */
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  guest = await server.user('guest')
  stranger = await server.user('stranger')
  const top = await server.make.group('top', owner, { visibility: 'public' })
  const inner = await server.make.group('inner', owner, { visibility: 'public', parent: top })
  const secret = await server.make.group('secret', owner, { visibility: 'private', parent: inner })
  await server.make.member({ namespace: inner }, guest, 10)
  Object.assign(groups, { top: top.id, inner: inner.id, secret: secret.id })
  const made: [number, object][] = [
    [top.id, { title: 'a', labels: 'red,blue', description: 'needle in hay', created_at: '2026-01-01' }],
    [top.id, { title: 'c', labels: 'red', created_at: '2026-01-03' }],
    [top.id, { title: 'b', created_at: '2026-01-02' }],
    [top.id, { title: 'd', confidential: true, created_at: '2026-01-04' }],
    [inner.id, { title: 'e', created_at: '2026-01-05' }],
    [secret.id, { title: 'f', created_at: '2026-01-06' }],
  ]
  for (const [id, given] of made) expect((await owner.post(`/groups/${id}/epics`, given)).status).toBe(201)
  await owner.put(`/groups/${top.id}/epics/2`, { state_event: 'close', updated_at: '2026-02-01' })
  await owner.put(`/groups/${top.id}/epics/1`, { updated_at: '2026-02-02' })
})
afterAll(() => server.stop())

async function titles(query: string, person: { get: Person['get'] } = owner, group = 'top'): Promise<string> {
  const { status, body } = await person.get(`/groups/${groups[group]}/epics?${query}`)
  expect(status).toBe(200)
  return body.map(({ title }: { title: string }) => title).join('')
}

test.each([
  ['', 'fedcba'],
  ['sort=asc', 'abcdef'],
  ['order_by=title&sort=asc', 'abcdef'],
  ['order_by=updated_at', 'acfedb'],
  ['include_descendant_groups=false', 'dcba'],
  ['labels=red', 'ca'],
  ['labels=red,blue', 'a'],
  ['labels=none', 'fedb'],
  ['labels=nope', ''],
  ['not[labels]=blue', 'fedcb'],
  ['state=closed', 'c'],
  ['state=opened', 'fedba'],
  ['search=NEEDLE', 'a'],
  ['search=ee', 'a'],
  ['confidential=true', 'd'],
  ['confidential=false', 'fecba'],
  ['created_after=2026-01-05T00:00:00Z', 'fe'],
  ['created_before=2026-01-02T00:00:00Z', 'ba'],
  ['updated_after=2026-02-02T00:00:00Z', 'a'],
  ['author_username=nobody', ''],
  ['author_username=owner', 'fedcba'],
  ['not[author_username]=owner', ''],
  ['my_reaction_emoji=any', ''],
  ['per_page=2&page=2', 'dc'],
])('the filter %s finds %s', async (query, expected) => {
  expect(await titles(query)).toBe(expected)
})

describe('a list', () => {
  test('shows confidential epics to planners, and private groups to their members', async () => {
    expect(await titles('', server.anonymous)).toBe('ecba')
    expect(await titles('', stranger)).toBe('ecba')
    expect(await titles('', guest)).toBe('fecba')
    expect(await titles('', server.root)).toBe('fedcba')
    expect((await stranger.get(`/groups/${groups.secret}/epics`)).status).toBe(404)
  })

  test('has the epics of the groups above on request', async () => {
    expect(await titles('', owner, 'inner')).toBe('fe')
    expect(await titles('include_ancestor_groups=true', owner, 'inner')).toBe('fedcba')
    expect(await titles('include_ancestor_groups=true', stranger, 'inner')).toBe('ecba')
  })

  test('answers under both paths, and refers relative to its group', async () => {
    const { body, headers } = await owner.get(`/groups/${groups.top}/-/epics?with_labels_details=true`)
    const relative = body.map(({ references }: { references: { relative: string } }) => references.relative)
    expect(relative).toEqual(['inner/secret&1', 'inner&1', '&4', '&2', '&3', '&1'])
    expect(headers.get('deprecation')).toBe('true')
    expect(body.at(-1).labels).toMatchObject([{ name: 'blue' }, { name: 'red' }])
    expect(body[0]).not.toHaveProperty('subscribed')
  })

  test('has the children of an epic that the caller can read', async () => {
    const top = (await owner.get(`/groups/${groups.top}/epics/1`)).body
    for (const group of ['inner', 'secret']) {
      expect((await owner.put(`/groups/${groups[group]}/epics/1`, { parent_id: top.id })).status).toBe(200)
    }
    expect(await titles(`parent_id=${top.id}`)).toBe('fe')
    expect(await titles(`parent_id=${top.id}`, stranger)).toBe('e')
    expect(await titles(`parent_id=${top.id}`, owner, 'secret')).toBe('f')
    for (const group of ['inner', 'secret']) await owner.put(`/groups/${groups[group]}/epics/1`, { parent_id: 0 })
    const hidden = (await owner.get(`/groups/${groups.secret}/epics/1`)).body
    await owner.put(`/groups/${groups.inner}/epics/1`, { parent_id: hidden.id })
    expect(await titles(`parent_id=${hidden.id}`)).toBe('e')
    expect(await titles(`parent_id=${hidden.id}`, stranger)).toBe('')
    await owner.put(`/groups/${groups.inner}/epics/1`, { parent_id: 0 })
  })

  test.each([
    ['author_id=1&author_username=x', 'author_id, author_username are mutually exclusive'],
    ['state=open', 'state does not have a valid value'],
    ['order_by=id', 'order_by does not have a valid value'],
    ['created_after=x', 'created_after is invalid'],
  ])('refuses %s', async (query, error) => {
    expect(await owner.get(`/groups/${groups.top}/epics?${query}`)).toMatchObject({ status: 400, body: { error } })
  })

  test('takes the same queries for few epics and for many', async () => {
    const list = (size: number) => () => owner.get(`/groups/${groups.top}/epics?per_page=${size}`)
    expect(await queriesOf(server, list(6))).toBe(await queriesOf(server, list(2)))
  })
})

test('answers the same when many groups are in reach', async () => {
  const answers = async () => {
    const found: string[] = []
    for (const person of [owner, guest, stranger, server.root, server.anonymous]) {
      for (const query of ['', 'labels=none', 'confidential=true', 'search=e', 'order_by=title&per_page=2&page=2']) {
        const { body, headers } = await person.get(`/groups/${groups.top}/epics?${query}`)
        found.push(`${body.map(({ title }: { title: string }) => title).join('')} ${headers.get('x-total')}`)
      }
      found.push(await titles('include_ancestor_groups=true', person, 'inner'), await titles('', person, 'inner'))
    }
    return found
  }
  const { write } = server.app.platform.database
  const hide = (pending_delete: boolean) =>
    write((tx) =>
      tx
        .updateTable('namespaces')
        .set({ pending_delete })
        .where('id', '=', groups.secret as number)
        .execute(),
    )
  const few = await answers()
  await hide(true)
  const fewHidden = await answers()
  await hide(false)
  await insertSubgroups(server, groups.secret as number, 1500)
  expect(await answers()).toEqual(few)
  await hide(true)
  expect(await answers()).toEqual(fewHidden)
  expect(fewHidden).not.toEqual(few)
  await removeSubgroups(server, groups.secret as number)
  await hide(false)
})
