import { describe, expect, test } from 'vitest'
import { ObjectError } from '../../../infra/objects/index.ts'
import { type Answer, bytesAt, queriesOf } from '../../../testing/index.ts'
import { newOwner, people, secretOf, server, serveUploadsForTests, storedKeys, upload } from '../testing.ts'
import { uploadProblems } from './check.ts'

serveUploadsForTests()

const notFound = [404, { message: '404 Not Found' }]
const recordNotFound = [404, { message: '404 Not found' }]
const shown = ({ status, body }: Answer) => [status, body]

describe.each(['project', 'group'] as const)('the uploads of a %s', (kind) => {
  test('are listed to maintainers, the newest first', async () => {
    const { place } = await newOwner(kind)
    const first = await upload(people.guest, place, 'a b.txt', 'four')
    const second = await upload(people.developer, place, 'dk.png', '')
    const { status, body, headers } = await people.maintainer.get(`${place}/uploads`)
    expect([status, headers.get('x-total')]).toEqual([200, '2'])
    const { id, username } = people.developer
    expect(body).toEqual([
      {
        id: second.body.id,
        size: 0,
        filename: 'dk.png',
        created_at: body[0].created_at,
        uploaded_by: { id, name: `${username} person`, username },
      },
      expect.objectContaining({ id: first.body.id, size: 4, filename: 'a_b.txt' }),
    ])
    expect(body[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const page = await people.maintainer.get(`${place}/uploads?per_page=1&page=2`)
    expect([page.body.length, page.body[0].id, page.headers.get('x-next-page')]).toEqual([1, first.body.id, ''])
    expect((await people.developer.get(`${place}/uploads`)).status).toBe(403)
    expect((await people.maintainer.get(`${place}/uploads?page=x`)).body.error).toBe('page is invalid')
  })

  test('of one moment are in the order of their ids', async () => {
    const { id, place } = await newOwner(kind)
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await upload(people.guest, place, name)).body.id)
    const column = kind === 'project' ? 'project_id' : 'namespace_id'
    const created_at = '2026-01-01T00:00:00.000Z'
    await server.app.platform.database.write((tx) =>
      tx.updateTable('uploads').set({ created_at }).where(column, '=', id).execute(),
    )
    const { body } = await people.maintainer.get(`${place}/uploads`)
    expect(body.map((entry: { id: number }) => entry.id)).toEqual(ids.reverse())
  })

  test('take as many queries for ten as for one', async () => {
    const { place } = await newOwner(kind)
    await upload(people.guest, place, 'a')
    const list = () => people.maintainer.get(`${place}/uploads`)
    const forOne = await queriesOf(server, list)
    for (let index = 0; index < 9; index += 1) {
      await upload(index % 2 ? people.guest : people.developer, place, `${index}`)
    }
    expect(await queriesOf(server, list)).toBe(forOne)
  })

  test('are downloaded by id', async () => {
    const { place } = await newOwner(kind)
    const { body } = await upload(people.guest, place, 'dk.png', '0123456789')
    const at = `${place}/uploads/${body.id}`
    const { status, headers, bytes } = await bytesAt(people.maintainer, at)
    expect([status, bytes.toString(), headers.get('content-type')]).toEqual([200, '0123456789', 'image/png'])
    expect(headers.get('content-disposition')).toBe(`attachment; filename="dk.png"; filename*=UTF-8''dk.png`)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('cache-control')).toBe('private, max-age=0, must-revalidate')
    const etag = headers.get('etag') ?? ''
    expect((await people.maintainer.get(at, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    const part = await bytesAt(people.maintainer, at, { Range: 'bytes=2-4' })
    expect([part.status, part.bytes.toString(), part.headers.get('content-range')]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
    ])
    const head = await people.maintainer.head(at)
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '10', ''])
    const beyond = await people.maintainer.get(at, { headers: { Range: 'bytes=10-' } })
    expect([...shown(beyond), beyond.headers.get('content-range')]).toEqual([
      416,
      { message: '416 Range Not Satisfiable' },
      'bytes */10',
    ])
    expect((await people.developer.get(at)).status).toBe(403)
    const other = await newOwner(kind)
    for (const id of [body.id, 0, 99_999_999, '9'.repeat(30)]) {
      expect(shown(await people.maintainer.get(`${other.place}/uploads/${id}`))).toEqual(recordNotFound)
    }
    const odd = await people.maintainer.get(`${place}/uploads/x1`)
    expect(shown(odd)).toEqual([400, { error: 'upload_id is invalid', message: { upload_id: ['is invalid'] } }])
  })

  test('are downloaded by secret and name', async () => {
    const { place } = await newOwner(kind)
    const answer = await upload(people.developer, place, 'résumé.pdf', 'bytes')
    const secret = secretOf(answer)
    const name = encodeURIComponent('résumé.pdf')
    const at = (first: string, last = name) => `${place}/uploads/${first}/${last}`
    const { status, headers, bytes } = await bytesAt(people.guest, at(secret))
    expect([status, bytes.toString()]).toEqual([200, 'bytes'])
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="r_sum_.pdf"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`,
    )
    for (const wrong of [
      'invalid_secret',
      secret.toUpperCase(),
      secret.slice(1),
      'a'.repeat(32),
      '%00',
      `${secret}%20`,
    ]) {
      expect([400, 404]).toContain((await people.guest.get(at(wrong))).status)
    }
    expect(shown(await people.guest.get(at('invalid_secret')))).toEqual(notFound)
    expect(shown(await people.guest.get(at(secret, 'other.pdf')))).toEqual(notFound)
    for (const wrong of [`..%2F${name}`, '%2Fetc%2Fpasswd', `x%5C..%5C${name}`, '%2E%2E%2Fx', 'a%2Fb']) {
      const refused = await people.guest.get(at(secret, wrong))
      expect([refused.status, refused.body.error]).toEqual([400, 'filename should be a valid file path'])
    }
    const other = await newOwner(kind)
    expect(shown(await people.guest.get(`${other.place}/uploads/${secret}/${name}`))).toEqual(notFound)
  })

  test('are read by members only, whatever the visibility', async () => {
    for (const [visibility, outsider] of [
      ['private', 404],
      ['internal', 403],
      ['public', 403],
    ] as const) {
      const { place } = await newOwner(kind, visibility)
      const { url } = (await upload(people.owner, place, 'a')).body
      const statuses = [server.anonymous, people.outsider, people.guest, server.root].map(
        async (client) => (await client.get(`${place}${url}`)).status,
      )
      expect([visibility, ...(await Promise.all(statuses))]).toEqual([visibility, 401, outsider, 200, 200])
    }
  })

  test('are deleted by maintainers, by id or by secret', async () => {
    const { place, web } = await newOwner(kind)
    const before = await storedKeys()
    const [first, second] = [await upload(people.guest, place, 'a'), await upload(people.guest, place, 'b')]
    const byId = `${place}/uploads/${first.body.id}`
    const bySecret = `${place}${second.body.url}`
    for (const at of [byId, bySecret]) expect((await people.developer.delete(at)).status).toBe(403)
    const deleted = await people.maintainer.delete(byId)
    expect([deleted.status, deleted.body, deleted.headers.get('content-type')]).toEqual([204, '', null])
    expect(shown(await people.maintainer.delete(byId))).toEqual(recordNotFound)
    for (const at of [byId, `${place}${first.body.url}`, `${web}${first.body.url}`]) {
      expect((await people.maintainer.get(at)).status).toBe(404)
    }
    const refused = await people.maintainer.delete(`${place}/uploads/${secretOf(second)}/..%2Fb`)
    expect(refused.body.error).toBe('filename should be a valid file path')
    expect((await people.maintainer.delete(bySecret)).status).toBe(204)
    expect(shown(await people.maintainer.delete(bySecret))).toEqual(notFound)
    expect((await people.maintainer.get(`${place}/uploads`)).body).toEqual([])
    expect(await storedKeys()).toEqual(before)
  })

  test('are deleted once by requests at the same time', async () => {
    const { place } = await newOwner(kind)
    const { body } = await upload(people.guest, place, 'a')
    const both = await Promise.all(
      [`${place}/uploads/${body.id}`, `${place}${body.url}`].map((at) => people.maintainer.delete(at)),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
  })
})

test('an upload has no record any more when its file goes, so that no moment leaves a record without a file', async () => {
  const { place } = await newOwner('project')
  const { body } = await upload(people.guest, place, 'a')
  const { objects } = server.app.platform
  const original = objects.delete
  let found: string[] | null = null
  objects.delete = async (key) => {
    await original(key)
    found = await Array.fromAsync(uploadProblems(server.app.platform))
  }
  const deleted = await people.maintainer.delete(`${place}/uploads/${body.id}`).finally(() => {
    objects.delete = original
  })
  expect([deleted.status, found]).toEqual([204, []])
})

test.each([
  ['key_conflict', 400, '400 Bad request - Upload could not be deleted.'],
  ['unavailable', 503, '503 Service Unavailable'],
] as const)('an upload stays when its file cannot be deleted (%s)', async (code, status, message) => {
  const { place } = await newOwner('project')
  const { body } = await upload(people.guest, place, 'a')
  const { objects } = server.app.platform
  const original = objects.delete
  objects.delete = async () => Promise.reject(new ObjectError(code, 'no'))
  const refused = await people.maintainer.delete(`${place}/uploads/${body.id}`).finally(() => {
    objects.delete = original
  })
  expect(shown(refused)).toEqual([status, { message }])
  expect((await people.guest.get(`${place}${body.url}`)).status).toBe(200)
  expect((await people.maintainer.delete(`${place}/uploads/${body.id}`)).status).toBe(204)
})

test('an upload without its file is not found, and can be deleted', async () => {
  const { place } = await newOwner('project')
  const answer = await upload(people.guest, place, 'a')
  const { objects } = server.app.platform
  for (const key of await storedKeys()) if (key.endsWith(secretOf(answer))) await objects.delete(key as never)
  const at = `${place}/uploads/${answer.body.id}`
  expect(shown(await people.maintainer.get(at))).toEqual(notFound)
  expect((await people.maintainer.delete(at)).status).toBe(204)
})

test('a deletion may require that the upload is older than a time', async () => {
  const { place } = await newOwner('project')
  const { body } = await upload(people.guest, place, 'a')
  const headers = { 'If-Unmodified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
  const refused = await people.maintainer.delete(`${place}/uploads/${body.id}`, { headers })
  expect(shown(refused)).toEqual([412, { message: '412 Precondition Failed' }])
  expect((await people.maintainer.get(`${place}/uploads`)).body).toHaveLength(1)
})

test('an archived project keeps its files, and shows them', async () => {
  const { id, place } = await newOwner('project')
  const { body } = await upload(people.guest, place, 'a')
  const { database } = server.app.platform
  await database.write((tx) => tx.updateTable('projects').set({ archived: true }).where('id', '=', id).execute())
  expect((await people.guest.get(`${place}${body.url}`)).status).toBe(200)
  expect((await people.maintainer.delete(`${place}/uploads/${body.id}`)).status).toBe(403)
})
