import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storageKey } from '../../infra/objects/index.ts'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { keyOfDocument } from './keys.ts'
import { stateProblems, sweepDocumentsJob } from './removal.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let states: string
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  place = await projectWithMembers(server, { people, path: `states-${count}` })
  states = `/projects/${place.project.id}/terraform/state`
})

const put = (name: string, content: string, query = '', headers = {}) =>
  people.maintainer.request('POST', `${states}/${name}${query}`, { body: content, headers })
const versions = () =>
  server.app.platform.database.read
    .selectFrom('terraform_state_versions')
    .selectAll()
    .where('project_id', '=', place.project.id)
    .orderBy('id')
    .execute()
const objectsOfProject = async () => {
  const keys: string[] = []
  for await (const { key } of server.app.platform.objects.list(storageKey('terraform-states', place.project.id))) {
    keys.push(key)
  }
  return keys
}
const lockOf = (ID: string) => ({ ID, Operation: 'o', Info: '', Who: 'w', Version: '1', Created: 'now', Path: '' })

describe('a document', () => {
  test('is stored sealed, byte for byte', async () => {
    const secret = 'a very secret password'
    const content = `{ "serial": 7,\n  "outputs": {"p": "${secret}"}, "x": 1.0 }`
    expect([(await put('a', content)).status, (await put('a', content)).body]).toEqual([200, 200])
    const read = await people.developer.open(`${states}/a`)
    expect([await read.text(), read.headers.get('cache-control')]).toEqual([content, 'no-store'])
    const rows = await versions()
    expect(rows).toHaveLength(1)
    const [row] = rows
    const stored = row && (await server.app.platform.objects.get(keyOfDocument(row)))
    if (!stored) throw new Error('nothing is stored')
    const sealed = await buffer(stored.stream)
    expect([sealed.length, sealed.includes(secret)]).toEqual([row.sealed_bytes, false])
    // The version that was replaced has left nothing.
    expect(await objectsOfProject()).toHaveLength(1)
  })

  test.each<[string, number, string]>([
    ['{}', 422, 'No serial in payload'],
    ['[]', 422, 'No serial in payload'],
    ['7', 422, 'No serial in payload'],
    ['{"serial":"1"}', 422, 'No serial in payload'],
    ['{"serial":null}', 422, 'No serial in payload'],
    ['{"serial":-1}', 422, 'No serial in payload'],
    ['{"serial":1.5}', 422, 'No serial in payload'],
    ['{"serial":1e30}', 422, 'No serial in payload'],
    ['{"serial":99999999999999999999999999}', 422, 'No serial in payload'],
    ['{"a":{"serial":1}}', 422, 'No serial in payload'],
    ['{"serial":1', 422, 'invalid JSON'],
    ['{"serial":1} x', 422, 'invalid JSON'],
    ['serial: 1', 422, 'invalid JSON'],
    ['\u0000', 422, 'invalid JSON'],
    [`{"serial":1,"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 422, 'invalid JSON'],
  ])('%.40s is refused, and nothing of it stays', async (content, status, message) => {
    const answer = await put('a', content)
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect([await objectsOfProject(), (await people.developer.get(states)).body]).toEqual([[], []])
  })

  test('without bytes is nothing, in an answer without a body', async () => {
    const answer = await people.maintainer.request('POST', `${states}/a`, {})
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect([await objectsOfProject(), (await people.developer.get(`${states}/a`)).status]).toEqual([[], 404])
  })

  test('has the digest that its sender says, where one is said', async () => {
    const content = '{"serial":1}'
    const md5 = createHash('md5').update(content).digest('base64')
    const wrong = await put('a', '{"serial":2}', '', { 'Content-MD5': md5 })
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      '400 Bad request - Content-MD5 does not match the content',
    ])
    expect((await put('a', content, '', { 'Content-MD5': md5 })).status).toBe(200)
    expect((await put('a', content, '', { 'Content-MD5': '\u00e9' })).status).toBe(400)
    expect(await objectsOfProject()).toHaveLength(1)
  })

  test('is as large as the setting says', async () => {
    await server.root.put('/application/settings', { max_terraform_state_size_bytes: 20 })
    try {
      expect((await put('a', '{"serial":1,"a":123}')).status).toBe(200)
      expect((await put('a', '{"serial":2,"a":1234}')).status).toBe(413)
    } finally {
      await server.root.put('/application/settings', { max_terraform_state_size_bytes: 0 })
    }
    expect(await objectsOfProject()).toHaveLength(1)
  })

  test('of more than the limit of other bodies is stored, and read again', async () => {
    const content = `{"serial":1,"a":"${'x'.repeat(11 * 1024 * 1024)}"}`
    expect((await put('large', content)).status).toBe(200)
    const digest = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(digest(await (await people.developer.open(`${states}/large`)).text())).toBe(digest(content))
  })

  test('that was changed where it is stored is refused', async () => {
    const { platform } = server.app
    for (const name of ['a', 'b']) await put(name, '{"serial":1}')
    const [one, other] = await versions()
    if (!one || !other) throw new Error('no rows')
    const stored = await platform.objects.get(keyOfDocument(one))
    if (!stored) throw new Error('nothing is stored')
    await platform.objects.put(keyOfDocument(other), Readable.from([await buffer(stored.stream)]))
    expect((await people.developer.get(`${states}/b`)).status).toBe(422)
    await platform.objects.delete(keyOfDocument(one))
    expect((await people.developer.get(`${states}/a`)).status).toBe(404)
  })
})

describe('versions', () => {
  test('are named by their serials; the one written last is the newest', async () => {
    for (const serial of [5, 9, 5]) await put('a', JSON.stringify({ serial, at: `${serial}` }))
    const listed = (await people.developer.get(`${states}/a/versions`)).body
    expect(listed).toEqual([
      { serial: 5, size: 21, created_at: expect.any(String) },
      { serial: 9, size: 21, created_at: expect.any(String) },
    ])
    expect((await people.developer.get(`${states}/a`)).body.serial).toBe(5)
    expect((await people.developer.get(states)).body).toMatchObject([{ name: 'a', latest_serial: 5, locked: false }])
    expect((await people.maintainer.delete(`${states}/a/versions/5`)).status).toBe(204)
    expect((await people.maintainer.delete(`${states}/a/versions/5`)).status).toBe(404)
    expect((await people.developer.get(`${states}/a`)).body.serial).toBe(9)
    expect((await people.maintainer.delete(`${states}/a/versions/9`)).status).toBe(204)
    expect((await people.developer.get(`${states}/a`)).status).toBe(204)
    expect(await objectsOfProject()).toEqual([])
  })

  test.each(['x', '1.5', '%31x'])('%s is no serial', async (serial) => {
    await put('a', '{"serial":1}')
    const { status, body } = await people.developer.get(`${states}/a/versions/${serial}`)
    expect([status, body.error]).toEqual([400, 'serial is invalid'])
  })
})

describe('a name', () => {
  test.each(['ключ', 'a.b', '..%2e', 'lock', 'versions', 'a%20b', '%22%3E'])('%s is data', async (name) => {
    expect((await put(name, '{"serial":1}')).status).toBe(200)
    expect((await people.developer.get(`${states}/${name}`)).body).toEqual({ serial: 1 })
    expect((await people.developer.get(states)).body[0].name).toBe(decodeURIComponent(name))
  })

  test('has no slash and at most 255 characters', async () => {
    expect((await put('a%2Fb', '{"serial":1}')).body.error).toBe('404 Not Found')
    expect((await put('é'.repeat(255), '{"serial":1}')).status).toBe(200)
    const { status, body } = await put('a'.repeat(256), '{"serial":1}')
    expect([status, body.error]).toEqual([400, 'name is too long (maximum is 255 characters)'])
  })
})

describe('a lock', () => {
  test('needs all its members, which may be blank', async () => {
    const { status, body } = await people.maintainer.post(`${states}/a/lock`, { ID: 'x', Info: '', Path: '' })
    expect(status).toBe(400)
    expect(body.error).toBe('Operation is missing, Who is missing, Version is missing, Created is missing')
    const blank = { ...lockOf('x'), Operation: '', Who: '', Version: '', Created: '' }
    expect((await people.maintainer.post(`${states}/a/lock`, blank)).status).toBe(200)
    expect((await people.maintainer.post(`${states}/a/lock`, lockOf('x'))).body.Operation).toBe('')
  })

  test('has an id of at most 255 characters', async () => {
    const long = await people.maintainer.post(`${states}/a/lock`, lockOf('x'.repeat(256)))
    expect([long.status, long.body.error]).toEqual([400, 'ID is too long (maximum is 255 characters)'])
    expect((await put('a', '{"serial":1}', `?ID=${'x'.repeat(256)}`)).status).toBe(400)
  })

  test('stays where its holder is deleted, and can be ended by force', async () => {
    const holder = await server.user('holding')
    await server.make.member({ project: place.project }, holder, 40)
    await holder.post(`${states}/a/lock`, lockOf('x'))
    await server.app.platform.database.write((tx) => tx.deleteFrom('users').where('id', '=', holder.id).execute())
    const { status, body } = await people.maintainer.post(`${states}/a/lock`, lockOf('y'))
    expect([status, body.ID, body.Who]).toEqual([409, 'x', ''])
    expect((await people.maintainer.delete(`${states}/a/lock`)).status).toBe(200)
  })

  test('and writes at once: what is stored was written under the lock', async () => {
    await people.maintainer.post(`${states}/a/lock`, lockOf('x'))
    const writes = Array.from({ length: 8 }, (_, at) => put('a', `{"serial":${at}}`, at % 2 ? '?ID=x' : '?ID=other'))
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect(statuses).toEqual([409, 200, 409, 200, 409, 200, 409, 200])
    expect((await versions()).map(({ serial }) => serial).sort()).toEqual([1, 3, 5, 7])
    expect(await objectsOfProject()).toHaveLength(4)
  })
})

test('the list costs as many queries for many states as for one, and has pages', async () => {
  await put('b', '{"serial":1}')
  const one = await queriesOf(server, () => people.developer.get(states))
  for (const name of ['c', 'a', 'd']) await put(name, '{"serial":1}')
  expect(await queriesOf(server, () => people.developer.get(states))).toBe(one)
  const page = await people.developer.get(`${states}?per_page=2&page=2`)
  expect(page.body.map(({ name }: { name: string }) => name)).toEqual(['c', 'd'])
})

test('the feature may be off or for members only, and archived projects are read only', async () => {
  await put('a', '{"serial":1}')
  const at = `/projects/${place.project.id}`
  await people.owner.put(at, { infrastructure_access_level: 'disabled' })
  expect((await people.owner.get(`${states}/a`)).status).toBe(404)
  await people.owner.put(at, { infrastructure_access_level: 'private' })
  expect((await people.developer.get(`${states}/a`)).status).toBe(200)
  await people.owner.post(`${at}/archive`)
  expect((await people.developer.get(`${states}/a`)).status).toBe(200)
  for (const answer of [
    await put('a', '{"serial":2}'),
    await people.owner.post(`${states}/a/lock`, lockOf('x')),
    await people.owner.delete(`${states}/a`),
  ]) {
    expect(answer.status).toBe(403)
  }
})

test('what a deleted state or project had is removed, also after a rename', async () => {
  const { platform } = server.app
  for (const serial of [1, 2]) await put('a', JSON.stringify({ serial }))
  await people.owner.put(`/projects/${place.project.id}`, { path: `renamed-${count}` })
  await put('b', '{"serial":1}')
  expect((await people.developer.get(`${states}/a`)).body.serial).toBe(2)
  expect((await people.maintainer.delete(`${states}/a`)).status).toBe(200)
  await platform.jobs.drain()
  expect(await objectsOfProject()).toHaveLength(1)
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  await people.owner.delete(`/projects/${place.project.id}`)
  await platform.jobs.drain()
  expect([await objectsOfProject(), await versions()]).toEqual([[], []])
})

test('documents without a record are swept after a day, and missing ones are found', async () => {
  const { platform } = server.app
  await put('a', '{"serial":1}')
  const [row] = await versions()
  if (!row) throw new Error('no row')
  const stray = keyOfDocument({ project_id: place.project.id, secret: 'stray' })
  await platform.objects.put(stray, Readable.from([Buffer.from('x')]))
  const tomorrow = { ...platform, clock: { ...platform.clock, now: () => new Date(Date.now() + 90_000_000) } }
  await sweepDocumentsJob.run(tomorrow, null, { signal: new AbortController().signal } as never)
  expect(await platform.objects.head(stray)).toBeNull()
  expect(await platform.objects.head(keyOfDocument(row))).not.toBeNull()
  await platform.objects.delete(keyOfDocument(row))
  const problems: string[] = []
  for await (const problem of stateProblems(platform)) problems.push(problem)
  expect(problems).toContain(`version ${row.id} of a Terraform state: its document is missing`)
})
