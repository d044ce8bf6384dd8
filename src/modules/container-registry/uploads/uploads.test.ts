import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { deleteRepositoriesJob } from '../deletion/deletion.ts'
import { blobOf, codeOf, type Registry, registryOf } from '../http/testing.ts'
import { removeIdleUploadsJob } from './expiry.ts'

const clock = manualClock({ start: '2026-02-03T04:05:06Z' })
let server: TestServer
let registry: Registry
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  registry = registryOf(server)
  owner = await server.user('owner')
  for (const path of ['p', 'other']) await server.make.project(path, owner)
})
afterAll(() => server.stop())

const scope = 'owner/p:pull,push'
const start = async (name = 'owner/p') => {
  const { status, headers } = await registry.send('POST', `${name}/blobs/uploads/`, { scope: `${name}:pull,push` })
  expect(status).toBe(202)
  return headers.get('location') as string
}
const patch = (location: string, body: string, range?: string) =>
  registry.send('PATCH', location, { scope, body, headers: range === undefined ? {} : { 'Content-Range': range } })
const put = (location: string, digest: string, body?: Buffer | string, headers: Record<string, string> = {}) =>
  registry.send('PUT', `${location}?digest=${digest}`, { scope, body, headers })
const statusOf = (location: string) => registry.send('GET', location, { scope })
const rangeOf = async (location: string) => (await statusOf(location)).headers.get('range')
const stored = async (digest: string, name = 'owner/p') =>
  (await registry.send('HEAD', `${name}/blobs/${digest}`, { scope: `${name}:pull` })).status
const contents = async () => {
  const found: string[] = []
  for await (const { key } of server.app.platform.objects.list()) found.push(key)
  return found.filter((key) => key.startsWith('blobs/'))
}
const rows = () => server.app.platform.database.read.selectFrom('registry_uploads').selectAll().execute()

describe('an upload in chunks', () => {
  test('follows the acceptance walk', async () => {
    const blob = blobOf('0123456789')
    const started = await registry.send('POST', 'owner/p/blobs/uploads/', { scope })
    expect([started.status, started.body, started.headers.get('content-length')]).toEqual([202, '', '0'])
    const location = started.headers.get('location') as string
    const id = started.headers.get('docker-upload-uuid')
    expect([location, started.headers.get('range')]).toEqual([`/v2/owner/p/blobs/uploads/${id}`, '0-0'])
    expect(started.headers.get('oci-chunk-min-length')).toBeNull()
    const early = await patch(location, '56789', '5-9')
    expect(codeOf(early)).toEqual([416, 'RANGE_INVALID'])
    expect(['location', 'range', 'docker-upload-uuid'].map((name) => early.headers.get(name))).toEqual([
      location,
      '0-0',
      id,
    ])
    const empty = await statusOf(location)
    expect([empty.status, empty.headers.get('range'), empty.headers.get('docker-upload-uuid')]).toEqual([
      204,
      '0-0',
      id,
    ])
    const first = await patch(location, '01234', '0-4')
    expect([first.status, first.headers.get('range'), first.headers.get('content-length')]).toEqual([202, '0-4', '0'])
    const repeated = await patch(location, '01234', '0-4')
    expect([codeOf(repeated), repeated.headers.get('range')]).toEqual([[416, 'RANGE_INVALID'], '0-4'])
    expect(codeOf(await registry.send('PUT', location, { scope }))).toEqual([400, 'DIGEST_INVALID'])
    expect(await rangeOf(location)).toBe('0-4')
    const finished = await put(location, blob.digest, '56789', { 'Content-Range': '5-9' })
    expect([finished.status, finished.body, finished.headers.get('content-length')]).toEqual([201, '', '0'])
    expect(finished.headers.get('location')).toBe(`/v2/owner/p/blobs/${blob.digest}`)
    expect(finished.headers.get('docker-content-digest')).toBe(blob.digest)
    const head = await registry.send('HEAD', `owner/p/blobs/${blob.digest}`, { scope })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
    expect(codeOf(await statusOf(location))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    expect(codeOf(await put(location, blob.digest))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
  })

  test('continues without ranges, and in encoded form of its digest', async () => {
    const blob = blobOf('abcdef')
    const location = await start()
    await patch(location, 'ab')
    expect((await patch(location, 'cd')).headers.get('range')).toBe('0-3')
    expect((await patch(location, '')).headers.get('range')).toBe('0-3')
    expect((await put(location, encodeURIComponent(blob.digest), 'ef')).status).toBe(201)
    expect(await stored(blob.digest)).toBe(200)
  })

  test.each([
    ['bytes 0-2/3', 202, undefined],
    ['0-2/*', 202, undefined],
    ['0-3', 400, 'SIZE_INVALID'],
    ['0-1', 400, 'SIZE_INVALID'],
    ['1-3', 416, 'RANGE_INVALID'],
    ['2-0', 416, 'RANGE_INVALID'],
    ['0-', 400, 'BLOB_UPLOAD_INVALID'],
    ['-2', 400, 'BLOB_UPLOAD_INVALID'],
    ['-1-2', 400, 'BLOB_UPLOAD_INVALID'],
    ['0 - 2', 400, 'BLOB_UPLOAD_INVALID'],
    ['bytes=0-2', 400, 'BLOB_UPLOAD_INVALID'],
    ['0x0-0x2', 400, 'BLOB_UPLOAD_INVALID'],
    [`${'9'.repeat(400)}-${'9'.repeat(400)}`, 416, 'RANGE_INVALID'],
    [`0-${'9'.repeat(400)}`, 400, 'SIZE_INVALID'],
  ])('answers the range %s with %i', async (range, status, code) => {
    const location = await start()
    const answer = await patch(location, 'abc', range)
    expect(codeOf(answer)).toEqual([status, code])
    expect(await rangeOf(location)).toBe(status === 202 ? '0-2' : '0-0')
  })

  test('refuses a wrong digest, and is over then', async () => {
    const before = await contents()
    const location = await start()
    await patch(location, 'abc')
    const wrong = blobOf('abd').digest
    const answer = await put(location, wrong)
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        errors: [
          {
            code: 'DIGEST_INVALID',
            message: 'provided digest did not match uploaded content',
            detail: { digest: wrong },
          },
        ],
      },
    ])
    expect(codeOf(await statusOf(location))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    expect([await stored(wrong), await contents()]).toEqual([404, before])
  })

  test.each([
    '',
    'sha256',
    'sha256:',
    `sha256:${'0'.repeat(63)}`,
    `sha256:${'0'.repeat(65)}`,
    `sha256:${'A'.repeat(64)}`,
    `sha512:${'0'.repeat(64)}`,
    `md5:${'0'.repeat(32)}`,
    `sha384:${'0'.repeat(96)}`,
    '../../etc/passwd',
    `sha256:${'0'.repeat(62)}%00`,
    'x'.repeat(10_000),
  ])('goes on after the malformed digest %j', async (digest) => {
    const location = await start()
    await patch(location, 'abc')
    expect(codeOf(await put(location, digest))).toEqual([400, 'DIGEST_INVALID'])
    expect(await rangeOf(location)).toBe('0-2')
  })

  test('checks SHA-512', async () => {
    const blob = blobOf('long digest', 'sha512')
    const location = await start()
    await patch(location, 'long ')
    expect((await put(location, blob.digest, 'digest')).status).toBe(201)
    const got = await registry.send('GET', `owner/p/blobs/${blob.digest}`, { scope })
    expect([got.status, got.body]).toEqual([200, 'long digest'])
    const other = await start()
    expect(codeOf(await put(other, blobOf('x', 'sha512').digest, 'y'))).toEqual([400, 'DIGEST_INVALID'])
  })

  test('may have its whole content with the digest', async () => {
    const blob = blobOf('the whole content')
    const location = await start()
    const misplaced = await put(location, blob.digest, blob.content, { 'Content-Range': '1-17' })
    expect([codeOf(misplaced), misplaced.headers.get('range')]).toEqual([[416, 'RANGE_INVALID'], '0-0'])
    const finished = await put(location, blob.digest, blob.content, { 'Content-Range': '0-16' })
    expect([finished.status, await stored(blob.digest)]).toEqual([201, 200])
    const other = await start()
    expect(codeOf(await put(other, blob.digest, 'other content'))).toEqual([400, 'DIGEST_INVALID'])
    expect(codeOf(await statusOf(other))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
  })

  test('may be empty', async () => {
    const location = await start()
    expect((await put(location, blobOf('').digest)).status).toBe(201)
    expect((await registry.send('GET', `owner/p/blobs/${blobOf('').digest}`, { scope })).bytes.length).toBe(0)
  })

  test('is cancelled by those who push', async () => {
    const location = await start()
    await patch(location, 'abc')
    const refused = await registry.send('DELETE', location, { scope: 'owner/p:pull' })
    expect(refused.headers.get('www-authenticate')).toContain(
      'scope="repository:owner/p:pull,push",error="insufficient_scope"',
    )
    expect((await registry.send('DELETE', location, { scope: 'owner/p:push' })).status).toBe(204)
    expect(codeOf(await statusOf(location))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    expect(codeOf(await registry.send('DELETE', location, { scope }))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
  })

  test('belongs to its repository', async () => {
    const location = await start()
    for (const name of ['owner/p/web', 'owner/other']) {
      const path = location.replace('owner/p', name)
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
        expect(codeOf(await registry.send(method, path, { scope: `${name}:pull,push` }))).toEqual([
          404,
          'BLOB_UPLOAD_UNKNOWN',
        ])
      }
    }
    expect((await statusOf(location)).status).toBe(204)
  })

  test.each(['1', 'x%00', '%2e%2e%2f%2e%2e', '0'.repeat(5000), 'ffffffff-ffff-4fff-bfff-ffffffffffff', '%27--'])(
    'is not %s',
    async (id) => {
      expect(codeOf(await statusOf(`/v2/owner/p/blobs/uploads/${id}`))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    },
  )
})

/** Sends part of a body, and waits until the server has it. */
async function sendPart(location: string, body: string, announced: number) {
  const token = await registry.tokenFor([scope])
  const headers = { Authorization: `Bearer ${token}`, 'Content-Length': announced }
  const sending = httpRequest(`${server.url}${location}`, { method: 'PATCH', headers })
  const closed = new Promise((resolve) => sending.once('close', resolve))
  const answered = new Promise((resolve) => sending.once('response', ({ statusCode }) => resolve(statusCode)))
  sending.on('error', () => {})
  sending.write(body)
  await expect.poll(() => rangeOf(location)).toBe(`0-${body.length - 1}`)
  return { sending, closed, answered }
}

describe('a broken connection', () => {
  test('leaves what was received, and the upload goes on from there', async () => {
    const blob = blobOf('0123456789')
    const location = await start()
    const { sending, closed } = await sendPart(location, '01234', 10)
    sending.destroy()
    await closed
    await expect.poll(async () => (await patch(location, '56789', '5-9')).status).toBe(202)
    expect((await put(location, blob.digest)).status).toBe(201)
    expect(await stored(blob.digest)).toBe(200)
  })

  test('of an upload at once leaves nothing', async () => {
    const before = [await contents(), await rows()]
    const token = await registry.tokenFor([scope])
    const blob = blobOf('not all of it')
    const headers = { Authorization: `Bearer ${token}`, 'Content-Length': blob.size }
    const url = `${server.url}/v2/owner/p/blobs/uploads/?digest=${blob.digest}`
    const sending = httpRequest(url, { method: 'POST', headers })
    sending.on('error', () => {})
    const closed = new Promise((resolve) => sending.once('close', resolve))
    sending.write('not')
    await expect.poll(async () => (await rows()).length).toBe((before[1]?.length ?? 0) + 1)
    sending.destroy()
    await closed
    await expect.poll(async () => [await contents(), await rows()]).toEqual(before)
  })
})

describe('a second writer', () => {
  test('is refused while the first one sends', async () => {
    const location = await start()
    const { sending, answered } = await sendPart(location, '01234', 6)
    expect(codeOf(await patch(location, 'x'))).toEqual([409, 'BLOB_UPLOAD_INVALID'])
    expect(codeOf(await put(location, blobOf('01234').digest))).toEqual([409, 'BLOB_UPLOAD_INVALID'])
    sending.end('5')
    expect(await answered).toBe(202)
    expect((await put(location, blobOf('012345').digest)).status).toBe(201)
  })

  test('of the same chunk at the same time is refused', async () => {
    const location = await start()
    const answers = await Promise.all(Array.from({ length: 8 }, () => patch(location, 'abc', '0-2')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(202)
    expect(statuses.slice(1).every((status) => status === 409 || status === 416)).toBe(true)
    expect(await rangeOf(location)).toBe('0-2')
  })
})

describe('an upload at once', () => {
  test('stores a blob', async () => {
    const blob = blobOf()
    const answer = await registry.send('POST', `owner/p/blobs/uploads/?digest=${blob.digest}`, {
      scope,
      body: blob.content,
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v2/owner/p/blobs/${blob.digest}`])
    expect(answer.headers.get('docker-content-digest')).toBe(blob.digest)
    expect(await stored(blob.digest)).toBe(200)
    expect(await contents()).toContain(`blobs/sha256/${blob.hex.slice(0, 2)}/${blob.hex}`)
  })

  test('with another digest leaves nothing', async () => {
    const before = [await contents(), await rows()]
    for (const digest of [blobOf().digest, 'sha256:0']) {
      const body = blobOf().content
      const answer = await registry.send('POST', `owner/p/blobs/uploads?digest=${digest}`, { scope, body })
      expect(codeOf(answer)).toEqual([400, 'DIGEST_INVALID'])
    }
    expect([await contents(), await rows()]).toEqual(before)
  })

  test('takes the name of an algorithm as a hint', async () => {
    const begin = (name: string) => registry.send('POST', `owner/p/blobs/uploads/?digest-algorithm=${name}`, { scope })
    expect([(await begin('sha512')).status, (await begin('sha256')).status]).toEqual([202, 202])
    expect(codeOf(await begin('md5'))).toEqual([400, 'DIGEST_INVALID'])
  })
})

describe('many uploads of one blob', () => {
  test('at once succeed, and it is stored once', async () => {
    const blob = blobOf()
    const before = await contents()
    const names = Array.from({ length: 24 }, (_, index) => `owner/p/r${index % 4}`)
    const answers = await Promise.all(
      names.map(async (name) => {
        const options = { scope: `${name}:pull,push` as const, body: blob.content }
        if (name.endsWith('1')) return registry.send('POST', `${name}/blobs/uploads/?digest=${blob.digest}`, options)
        return registry.send('PUT', `${await start(name)}?digest=${blob.digest}`, options)
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201))
    expect((await contents()).length).toBe(before.length + 1)
    const { read } = server.app.platform.database
    const records = await read.selectFrom('registry_repositories').select('name').orderBy('name').execute()
    expect(records.map(({ name }) => name).filter((name) => /^r\d$/.test(name))).toEqual(['r0', 'r1', 'r2', 'r3'])
    for (const name of ['r0', 'r1', 'r2', 'r3']) expect(await stored(blob.digest, `owner/p/${name}`)).toBe(200)
  })
})

describe('the record of a repository', () => {
  test('is created by the first blob, not by an unfinished upload', async () => {
    const record = () =>
      server.app.platform.database.read
        .selectFrom('registry_repositories')
        .selectAll()
        .where('name', '=', 'new/one')
        .execute()
    const location = await start('owner/p/new/one')
    expect(await record()).toEqual([])
    const finish = { scope: 'owner/p/new/one:pull,push', body: 'x' } as const
    await registry.send('PUT', `${location}?digest=${blobOf('x').digest}`, finish)
    expect(await record()).toMatchObject([
      { name: 'new/one', path: 'owner/p/new/one', status: null, created_at: clock.now().toISOString() },
    ])
  })

  test('that is being deleted takes no content', async () => {
    const { database } = server.app.platform
    const name = 'owner/p/going'
    const going = { scope: `${name}:pull,push` } as const
    await registry.send('PUT', `${await start(name)}?digest=${blobOf('y').digest}`, { ...going, body: 'y' })
    const location = await start(name)
    const setStatus = (status: 'delete_scheduled' | null) =>
      database.write((tx) =>
        tx.updateTable('registry_repositories').set({ status }).where('name', '=', 'going').execute(),
      )
    await setStatus('delete_scheduled')
    for (const [method, path] of [
      ['POST', `${name}/blobs/uploads/`],
      ['PATCH', location],
      ['PUT', location],
    ] as const) {
      const answer = await registry.send(method, path, going)
      expect([codeOf(answer), answer.body.errors[0].message]).toEqual([[403, 'DENIED'], 'repository is being deleted'])
    }
    expect(await stored(blobOf('y').digest, name)).toBe(200)
    expect((await registry.send('DELETE', location, going)).status).toBe(204)
    await setStatus(null)
  })
})

describe('the deletion of a repository', () => {
  test('ends its uploads, and no others', async () => {
    const { platform } = server.app
    const gone = { scope: 'owner/p/gone:pull,push' } as const
    await registry.send('PUT', `${await start('owner/p/gone')}?digest=${blobOf('z').digest}`, { ...gone, body: 'z' })
    const [location, other] = [await start('owner/p/gone'), await start()]
    const { read } = platform.database
    const query = read.selectFrom('registry_repositories').select(['id', 'project_id']).where('name', '=', 'gone')
    const { id, project_id } = await query.executeTakeFirstOrThrow()
    expect((await owner.delete(`/projects/${project_id}/registry/repositories/${id}`)).status).toBe(202)
    await platform.jobs.drain()
    await deleteRepositoriesJob.run(platform, null, { signal: new AbortController().signal } as never)
    expect(codeOf(await registry.send('GET', location, gone))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    expect((await statusOf(other)).status).toBe(204)
  })
})

describe('an idle upload', () => {
  const expire = () =>
    removeIdleUploadsJob.run(server.app.platform, null, { signal: new AbortController().signal } as never)

  test('is removed with its bytes after a day; one in use is not', async () => {
    const idle = await start()
    const used = await start()
    clock.advance(20 * 3_600_000)
    await patch(used, 'abc')
    clock.advance(5 * 3_600_000)
    await expire()
    expect(codeOf(await statusOf(idle))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    expect(await rangeOf(used)).toBe('0-2')
    clock.advance(25 * 3_600_000)
    await expire()
    expect(codeOf(await statusOf(used))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    expect(await rows()).toEqual([])
  })
})
