import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

let given: Hooked
beforeAll(async () => {
  given = await startWithReceiver()
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

const pathOf = (kind: 'project' | 'group') =>
  kind === 'project' ? `/projects/${given.project.id}/hooks` : `/groups/${given.group.id}/hooks`

const unprocessable = (body: object) => ({ status: 422, body })

describe.each(['project', 'group'] as const)('hooks of a %s', (kind) => {
  test('are created, read, changed and deleted, without their secrets', async () => {
    const { owner, receiver } = given
    const all = {
      url: `${receiver.url}/{path}?x={other_1}`,
      name: 'Chat',
      description: 'Notifies the team',
      token: 'top-secret',
      issues_events: true,
      push_events: 'off',
      push_events_branch_filter: 'release-*',
      enable_ssl_verification: false,
      url_variables: [
        { key: 'path', value: 'hidden-1' },
        { key: 'other_1', value: 'hidden-2' },
      ],
      custom_headers: [{ key: 'X-Custom', value: 'hidden-3' }],
      custom_webhook_template: '{"kind":"{{object_kind}}"}',
    }
    const created = await owner.post(pathOf(kind), all)
    expect(created.status).toBe(201)
    expect(JSON.stringify(created.body)).not.toMatch(/hidden|top-secret/)
    const events = Object.keys(created.body).filter((name) => name.endsWith('_events') && created.body[name])
    expect(events).toEqual(['issues_events'])
    const groupOnly = ['member_events', 'subgroup_events', 'project_events']
    expect(groupOnly.filter((name) => name in created.body)).toEqual(kind === 'group' ? groupOnly : [])
    expect(created.body).toMatchObject({
      url: all.url,
      name: 'Chat',
      description: 'Notifies the team',
      enable_ssl_verification: false,
      alert_status: 'executable',
      disabled_until: null,
      url_variables: [{ key: 'path' }, { key: 'other_1' }],
      push_events_branch_filter: 'release-*',
      branch_filter_strategy: 'wildcard',
      custom_webhook_template: all.custom_webhook_template,
      custom_headers: [{ key: 'X-Custom' }],
      [`${kind}_id`]: kind === 'project' ? given.project.id : given.group.id,
      vulnerability_events: false,
    })
    const one = `${pathOf(kind)}/${created.body.id}`
    expect((await owner.get(one)).body).toEqual(created.body)
    const changed = await owner.put(one, { name: '', custom_headers: [], push_events: true, url: receiver.url })
    expect(changed.body).toMatchObject({ name: null, custom_headers: [], push_events: true, issues_events: true })
    expect((await owner.get(pathOf(kind))).body).toEqual([changed.body])
    const stored = await given.server.app.platform.database.read.selectFrom('web_hook_secrets').selectAll().execute()
    expect(stored.map(({ kind, key }) => [kind, key])).toEqual([
      ['token', ''],
      ['url_variable', 'path'],
      ['url_variable', 'other_1'],
    ])
    expect(JSON.stringify(stored)).not.toMatch(/hidden|top-secret/)
    const before = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await owner.delete(one, { headers: before })).status).toBe(412)
    expect((await owner.delete(one)).status).toBe(204)
    const gone = { status: 404, body: { message: '404 Not found' } }
    expect(await owner.get(one)).toMatchObject(gone)
    expect(await owner.put(one, { name: 'x' })).toMatchObject(gone)
    expect(await owner.delete(one)).toMatchObject(gone)
  })

  test('are called for pushes only, by default', async () => {
    const { body } = await given.owner.post(pathOf(kind), { url: given.receiver.url })
    expect(Object.keys(body).filter((name) => name.endsWith('_events') && body[name])).toEqual(['push_events'])
  })

  test('refuse what is invalid', async () => {
    const { owner, receiver, allowLocal } = given
    const post = (body: object) => owner.post(pathOf(kind), { url: receiver.url, ...body })
    const invalidUrl = unprocessable({ error: 'Invalid url given' })
    const urls = [
      'ftp://example.com',
      'nonsense',
      '',
      'http://',
      'http://a b',
      `${receiver.url}/{missing}`,
      'http://a\nb',
    ]
    for (const url of [...urls, `http://example.com/${'x'.repeat(2048)}`]) {
      expect(await post({ url }), url).toMatchObject(invalidUrl)
    }
    const filters = ['a..b', 'x y', '-a', 'a~', '/a', 'a.lock']
    for (const filter of filters) {
      const answer = await post({ push_events_branch_filter: filter })
      expect(answer, filter).toMatchObject(unprocessable({ error: 'Invalid branch filter given' }))
    }
    const regex = { push_events_branch_filter: '(', branch_filter_strategy: 'regex' }
    expect(await post(regex)).toMatchObject(unprocessable({ error: 'Invalid branch filter given' }))
    expect((await post({ ...regex, branch_filter_strategy: 'all_branches' })).status).toBe(201)
    const fields: [object, object][] = [
      [{ token: 'a\nb' }, { token: ['is invalid'] }],
      [{ token: 'schlüssel' }, { token: ['is invalid'] }],
      [{ name: 'x'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
      [
        { custom_webhook_template: 'x'.repeat(4097) },
        { custom_webhook_template: ['is too long (maximum is 4096 characters)'] },
      ],
      [{ url_variables: [{ key: '1a', value: 'x' }] }, { url_variables: ['must be a valid json schema'] }],
      [{ custom_headers: [{ key: 'Host', value: 'x' }] }, { custom_headers: ['must be a valid json schema'] }],
      [{ custom_headers: [{ key: 'A', value: 'x\r\nB: y' }] }, { custom_headers: ['must be a valid json schema'] }],
      [
        { custom_headers: Array.from({ length: 21 }, (_, at) => ({ key: `X-${at}`, value: 'x' })) },
        { custom_headers: ['number of keys exceeds the limit of 20'] },
      ],
    ]
    for (const [body, message] of fields) expect(await post(body)).toMatchObject(unprocessable({ message }))
    expect(await owner.post(pathOf(kind), {})).toMatchObject({ status: 400, body: { error: 'url is missing' } })
    const { id } = (await post({})).body
    expect(await owner.put(`${pathOf(kind)}/${id}`, { url: 'x' })).toMatchObject(invalidUrl)
    await allowLocal(false)
    const local = [
      'http://127.0.0.1',
      'http://localhost',
      'http://169.254.169.254/latest',
      'http://[::1]',
      'http://10.0.0.1',
    ]
    for (const url of local) expect(await post({ url }), url).toMatchObject(invalidUrl)
    await allowLocal(true)
  })

  test('are listed with a constant number of queries', async () => {
    const { owner, server, receiver } = given
    const create = async () => {
      const url_variables = [{ key: 'a', value: 'b' }]
      await owner.post(pathOf(kind), { url: receiver.url, url_variables })
    }
    await create()
    const ask = async () => expect((await owner.get(pathOf(kind))).status).toBe(200)
    const few = await queriesOf(server, ask)
    for (let count = 0; count < 4; count += 1) await create()
    expect(await queriesOf(server, ask)).toBe(few)
    const page = await owner.get(`${pathOf(kind)}?per_page=2&page=2`)
    expect([page.body.length, page.headers.get('x-total')]).toEqual([2, '5'])
  })

  test('are limited, also when many are created at once', async () => {
    const { owner, receiver, server } = given
    const limit = kind === 'project' ? 100 : 50
    const { body: first } = await owner.post(pathOf(kind), { url: receiver.url })
    await server.app.platform.database.write(async (tx) => {
      const row = await tx.selectFrom('web_hooks').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow()
      const { id, ...copied } = row
      const copies = Array.from({ length: limit - 3 }, () => copied)
      await tx.insertInto('web_hooks').values(copies).execute()
    })
    const answers = await Promise.all([1, 2, 3, 4].map(() => owner.post(pathOf(kind), { url: receiver.url })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
    const refused = answers.find(({ status }) => status === 422)
    expect(refused?.body).toEqual({ message: { base: [`Maximum number of ${kind} hooks (${limit}) exceeded`] } })
  })
})

describe('variables and headers of a hook', () => {
  test('are set and deleted by their keys', async () => {
    const { owner, hook, receiver, commit, payloads } = given
    const { id } = await hook({ url: `${receiver.url}/{a}`, url_variables: [{ key: 'a', value: 'one' }] })
    const one = `${pathOf('project')}/${id}`
    expect((await owner.put(`${one}/url_variables/a`, { value: 'two' })).status).toBe(204)
    expect((await owner.put(`${one}/url_variables/b`, { value: 'x' })).status).toBe(204)
    expect((await owner.put(`${one}/custom_headers/X-Told`, { value: 'three' })).status).toBe(204)
    expect((await owner.get(one)).body).toMatchObject({
      url: `${receiver.url}/{a}`,
      url_variables: [{ key: 'a' }, { key: 'b' }],
      custom_headers: [{ key: 'X-Told' }],
    })
    await commit('variables')
    await payloads()
    expect(receiver.received[0]).toMatchObject({ url: '/two', headers: { 'x-told': 'three' } })
    expect((await owner.delete(`${one}/url_variables/b`)).status).toBe(204)
    expect((await owner.delete(`${one}/custom_headers/X-Told`)).status).toBe(204)
    const noun = (word: string) => ({ status: 404, body: { message: `404 ${word} Not Found` } })
    expect(await owner.delete(`${one}/url_variables/b`)).toMatchObject(noun('URL variable'))
    expect(await owner.delete(`${one}/custom_headers/X-Told`)).toMatchObject(noun('Custom header'))
    const illegal = unprocessable({ error: 'Illegal key or value' })
    expect(await owner.put(`${one}/url_variables/1a`, { value: 'x' })).toMatchObject(illegal)
    expect(await owner.put(`${one}/url_variables/a`, { value: '' })).toMatchObject(illegal)
    expect(await owner.put(`${one}/url_variables/a%2Fb`, { value: 'x' })).toMatchObject(illegal)
    expect(await owner.put(`${one}/custom_headers/Content-Length`, { value: '1' })).toMatchObject(illegal)
    expect(await owner.put(`${one}/custom_headers/X-A`, { value: 'x\r\nX-B: y' })).toMatchObject(illegal)
    // The address would have a hole without it.
    expect(await owner.delete(`${one}/url_variables/a`)).toMatchObject(illegal)
    expect(await owner.put(`${one}/url_variables/a`, {})).toMatchObject({ body: { error: 'value is missing' } })
    const gone = { status: 404, body: { message: '404 Not found' } }
    expect(await owner.put(`${pathOf('project')}/99999/url_variables/a`, { value: 'x' })).toMatchObject(gone)
  })

  test.each([
    ['a group', () => [given.owner, pathOf('group')] as const],
    ['the instance', () => [given.server.root, '/hooks'] as const],
  ])('of %s are those of its hooks alone', async (_, place) => {
    const [client, hooks] = place()
    const { body } = await client.post(hooks, {
      url: `${given.receiver.url}/{a}`,
      url_variables: [{ key: 'a', value: 'x' }],
    })
    const one = `${hooks}/${body.id}/url_variables`
    expect((await client.put(`${one}/b`, { value: 'y' })).status).toBe(204)
    expect((await client.get(`${hooks}/${body.id}`)).body.url_variables).toEqual([{ key: 'a' }, { key: 'b' }])
    expect(await client.put(`${one}/1a`, { value: 'y' })).toMatchObject(
      unprocessable({ error: 'Illegal key or value' }),
    )
    expect((await given.owner.put(`${pathOf('project')}/${body.id}/url_variables/a`, { value: 'y' })).status).toBe(404)
    expect((await client.delete(`${one}/b`)).status).toBe(204)
    expect((await client.delete(`${one}/b`)).status).toBe(404)
  })

  test('may not lead the address to a forbidden host', async () => {
    const { owner, allowLocal } = given
    await allowLocal(false)
    const url_variables = [{ key: 'host', value: 'example.com' }]
    const { body } = await owner.post(pathOf('project'), { url: 'http://{host}/x', url_variables })
    const answer = await owner.put(`${pathOf('project')}/${body.id}/url_variables/host`, { value: '127.0.0.1' })
    expect(answer).toMatchObject(unprocessable({ error: 'Invalid url given' }))
    await allowLocal(true)
  })
})

test('hooks of the instance are for administrators, and may reach this machine unless a setting says otherwise', async () => {
  const { server, receiver, owner, allowLocal } = given
  const { root } = server
  await allowLocal(false)
  const created = await root.post('/hooks', {
    url: receiver.url,
    token: 'secret',
    url_variables: [{ key: 'a', value: 'b' }],
  })
  expect(created).toMatchObject({ status: 201 })
  expect(created.body).toEqual({
    id: expect.any(Number),
    url: receiver.url,
    name: null,
    description: null,
    created_at: expect.any(String),
    push_events: false,
    tag_push_events: false,
    merge_requests_events: false,
    repository_update_events: true,
    enable_ssl_verification: true,
    url_variables: [{ key: 'a' }],
  })
  const one = `/hooks/${created.body.id}`
  expect((await root.get(one)).body).toEqual(created.body)
  expect((await root.put(one, { push_events: true, name: 'All' })).body).toMatchObject({
    push_events: true,
    name: 'All',
  })
  expect((await root.get('/hooks')).body).toHaveLength(1)
  expect((await owner.get('/hooks')).status).toBe(403)
  await root.put('/application/settings', { allow_local_requests_from_system_hooks: false })
  expect(await root.post('/hooks', { url: receiver.url })).toMatchObject(unprocessable({ error: 'Invalid url given' }))
  await root.put('/application/settings', { allow_local_requests_from_system_hooks: true })
  await allowLocal(true)
  expect((await root.delete(one)).status).toBe(204)
  expect(await root.get(one)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
})

test('hooks are deleted with their project and group', async () => {
  const { server, owner, receiver } = given
  const { database } = server.app.platform
  const group = await server.make.group('leaving', owner)
  const project = await server.make.project('leaving', owner, { namespace: group })
  const paths = [`/groups/${group.id}`, `/projects/${project.id}`]
  for (const path of paths) await owner.post(`${path}/hooks`, { url: receiver.url, token: 'x' })
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  await owner.delete(`/groups/${group.id}`)
  await given.settle()
  await server.root.put('/application/settings', { deletion_adjourned_period: 7 })
  expect(await database.read.selectFrom('web_hooks').selectAll().execute()).toEqual([])
  expect(await database.read.selectFrom('web_hook_secrets').selectAll().execute()).toEqual([])
})
