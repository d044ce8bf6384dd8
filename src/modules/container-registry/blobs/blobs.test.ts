import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { blobOf, codeOf, type Registry, registryOf } from '../http/testing.ts'
import { dropUploadsOf } from '../uploads/sessions.ts'
import { blobProblems } from './check.ts'
import { blobKey, type Digest } from './digest.ts'
import { deleteUnusedContent } from './lock.ts'

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

const digits = blobOf('0123456789')

async function push(name: string, blob = blobOf()) {
  const path = `${name}/blobs/uploads/?digest=${blob.digest}`
  expect((await registry.send('POST', path, { scope: `${name}:pull,push`, body: blob.content })).status).toBe(201)
  return blob
}
const get = (name: string, digest: string, headers: Record<string, string> = {}) =>
  registry.send('GET', `${name}/blobs/${digest}`, { scope: `${name}:pull`, headers })

describe('a blob', () => {
  test('is sent with its digest, and is not sent again', async () => {
    const { digest } = await push('owner/p', digits)
    const { status, headers, body } = await get('owner/p', digest)
    expect([status, body]).toEqual([200, '0123456789'])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '10',
      'docker-content-digest': digest,
      etag: `"${digest}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'max-age=31536000',
      'docker-distribution-api-version': 'registry/2.0',
    })
    for (const tag of [`"${digest}"`, `"x", W/"${digest}"`]) {
      const again = await get('owner/p', digest, { 'If-None-Match': tag })
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', `"${digest}"`])
    }
    expect((await get('owner/p', digest, { 'If-None-Match': '"x"' })).status).toBe(200)
  })

  test.each([
    ['bytes=2-3', 206, '23', 'bytes 2-3/10'],
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=7-100', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-20', 206, '0123456789', 'bytes 0-9/10'],
    [`bytes=0-${'9'.repeat(400)}`, 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, 'RANGE_INVALID', 'bytes */10'],
    ['bytes=5-3', 416, 'RANGE_INVALID', 'bytes */10'],
    ['bytes=-0', 416, 'RANGE_INVALID', 'bytes */10'],
    [`bytes=${'9'.repeat(400)}-`, 416, 'RANGE_INVALID', 'bytes */10'],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['bytes=a-b', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('answers the range %s with %i', async (range, status, content, contentRange) => {
    await push('owner/p', digits)
    const answer = await get('owner/p', digits.digest, { Range: range })
    expect([answer.status, answer.body.errors?.[0].code ?? answer.body]).toEqual([status, content])
    expect(answer.headers.get('content-range')).toBe(contentRange)
  })

  test('is sent whole when the condition of the range names other content', async () => {
    await push('owner/p', digits)
    const range = async (tag: string) =>
      (await get('owner/p', digits.digest, { Range: 'bytes=1-1', 'If-Range': tag })).body
    expect([await range(`"${digits.digest}"`), await range('"other"')]).toEqual(['1', '0123456789'])
  })

  test('has the same headers for HEAD, without its content', async () => {
    await push('owner/p', digits)
    const head = await registry.send('HEAD', `owner/p/blobs/${digits.digest}`, {
      scope: 'owner/p:pull',
      headers: { Range: 'bytes=1-2' },
    })
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, '', '10'])
    const { headers } = await get('owner/p', digits.digest)
    for (const name of ['etag', 'docker-content-digest', 'content-type', 'accept-ranges', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, headers.get(name)])
    }
    const missing = await registry.send('HEAD', `owner/p/blobs/${blobOf().digest}`, { scope: 'owner/p:pull' })
    expect([missing.status, missing.body]).toEqual([404, ''])
  })

  test('is found only in repositories that have it', async () => {
    const { digest } = await push('owner/p/mine')
    for (const name of ['owner/p', 'owner/p/new', 'owner/other']) {
      const answer = await get(name, digest)
      expect(answer.body).toEqual({
        errors: [{ code: 'BLOB_UNKNOWN', message: 'blob unknown to registry', detail: { digest } }],
      })
      expect(answer.status).toBe(404)
    }
    expect(codeOf(await get('owner/p', 'sha256:0'))).toEqual([400, 'DIGEST_INVALID'])
    expect(codeOf(await get('owner/p', '..%2f..%2fetc%2fpasswd'))).toEqual([400, 'DIGEST_INVALID'])
  })

  test('whose content is lost is 404, and is found by the check', async () => {
    const blob = await push('owner/p/lost')
    const { platform } = server.app
    await platform.objects.delete(blobKey(blob.digest as Digest))
    expect(codeOf(await get('owner/p/lost', blob.digest))).toEqual([404, 'BLOB_UNKNOWN'])
    expect(await Array.fromAsync(blobProblems(platform))).toEqual([`container image blob ${blob.digest} is missing`])
    await push('owner/p/lost', blob)
    expect((await get('owner/p/lost', blob.digest)).bytes.equals(blob.content)).toBe(true)
    const { database } = platform
    await database.write((tx) =>
      tx.updateTable('registry_blobs').set({ size_bytes: 7 }).where('digest', '=', blob.digest).execute(),
    )
    expect(await Array.fromAsync(blobProblems(platform))).toEqual([
      `container image blob ${blob.digest} has 1000 bytes instead of 7`,
    ])
    await push('owner/p/lost', blob)
  })
})

describe('the removal of a blob', () => {
  const remove = (name: string, digest: string) =>
    registry.send('DELETE', `${name}/blobs/${digest}`, { scope: `${name}:delete` })

  test('unlinks it from this repository only', async () => {
    const { digest } = await push('owner/p/a')
    await push('owner/p/b', blobOf('shared'))
    await push('owner/p/a', blobOf('shared'))
    const shared = blobOf('shared').digest
    const answer = await remove('owner/p/a', shared)
    expect([answer.status, answer.body]).toEqual([202, ''])
    expect(codeOf(await remove('owner/p/a', shared))).toEqual([404, 'BLOB_UNKNOWN'])
    const statuses = [await get('owner/p/a', shared), await get('owner/p/b', shared), await get('owner/p/a', digest)]
    expect(statuses.map(({ status }) => status)).toEqual([404, 200, 200])
    expect(codeOf(await remove('owner/p/never', shared))).toEqual([404, 'BLOB_UNKNOWN'])
    expect(codeOf(await remove('owner/p/a', 'x'))).toEqual([400, 'DIGEST_INVALID'])
  })

  test('of two at once one succeeds', async () => {
    const { digest } = await push('owner/p/c')
    const answers = await Promise.all([remove('owner/p/c', digest), remove('owner/p/c', digest)])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 404])
  })

  test('is refused while a manifest needs the blob', async () => {
    const { digest } = await push('owner/p/held')
    const { database } = server.app.platform
    const at = clock.now().toISOString()
    await database.write(async (tx) => {
      const { id: repository_id } = await tx
        .selectFrom('registry_repositories')
        .select('id')
        .where('name', '=', 'held')
        .executeTakeFirstOrThrow()
      const { id: blob_id } = await tx
        .selectFrom('registry_blobs')
        .select('id')
        .where('digest', '=', digest)
        .executeTakeFirstOrThrow()
      const manifest = { repository_id, digest: blobOf().digest, media_type: 'x', size_bytes: 1, layers_size_bytes: 1 }
      const { id: manifest_id } = await tx
        .insertInto('registry_manifests')
        .values({ ...manifest, used_at: at, created_at: at } as never)
        .returning('id')
        .executeTakeFirstOrThrow()
      const needed = { manifest_id, repository_id, blob_id, is_layer: true }
      await tx.insertInto('registry_manifest_blobs').values(needed).execute()
    })
    const refused = await remove('owner/p/held', digest)
    expect([codeOf(refused), refused.body.errors[0].message]).toEqual([
      [405, 'UNSUPPORTED'],
      'blob is referenced by a manifest',
    ])
    expect((await get('owner/p/held', digest)).status).toBe(200)
  })
})

describe('a mount', () => {
  const mount = (target: string, query: string, scopes: readonly `${string}:${string}`[], asked: string[] = []) =>
    registry.send('POST', `${target}/blobs/uploads/?${query}`, { scope: [`${target}:pull,push`, ...scopes], asked })

  test('links the blob of another repository without its bytes', async () => {
    const { digest, content } = await push('owner/p/source')
    const answer = await mount('owner/other/copy', `mount=${digest}&from=owner/p/source`, ['owner/p/source:pull'])
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v2/owner/other/copy/blobs/${digest}`])
    expect(answer.headers.get('docker-content-digest')).toBe(digest)
    expect((await get('owner/other/copy', digest)).bytes.equals(content)).toBe(true)
  })

  test('of a blob that is here already succeeds', async () => {
    const { digest } = await push('owner/other/here')
    const answer = await mount('owner/other/here', `mount=${digest}&from=owner/p/nothing`, ['owner/p/nothing:pull'])
    expect(answer.status).toBe(201)
  })

  test('opens an upload when the blob cannot be linked', async () => {
    const { digest } = await push('owner/p/source')
    const from = 'owner/p/source'
    const pull = ['owner/p/source:pull'] as const
    const answers = [
      await mount('owner/other/x', `mount=${blobOf().digest}&from=${from}`, pull),
      await mount('owner/other/x', `mount=sha256:0&from=${from}`, pull),
      await mount('owner/other/x', `mount=&from=${from}`, pull),
      await mount('owner/other/x', `mount=${digest}`, pull),
      await mount('owner/other/x', `mount=${digest}&from=`, pull),
      await mount('owner/other/x', `mount=${digest}&from=../..`, pull),
      await mount('owner/other/x', `mount=${digest}&from=Owner/P/source`, pull),
      await mount('owner/other/x', `mount=${digest}&from=owner/absent`, ['owner/absent:pull']),
      // Asked for, and not granted.
      await mount('owner/other/x', `mount=${digest}&from=${from}`, [], [from]),
    ]
    for (const { status, headers } of answers) {
      expect([status, headers.get('location')]).toEqual([
        202,
        expect.stringMatching(/^\/v2\/owner\/other\/x\/blobs\/uploads\//),
      ])
    }
    expect((await get('owner/other/x', digest)).status).toBe(404)
  })

  test('challenges for both repositories when the token was never asked for the source', async () => {
    const { digest } = await push('owner/p/source')
    const answer = await mount('owner/other/y', `mount=${digest}&from=owner/p/source`, [], ['owner/else'])
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="${server.url}/jwt/auth",service="container_registry",` +
        'scope="repository:owner/other/y:pull,push repository:owner/p/source:pull",error="insufficient_scope"',
    )
    const wanted = (Name: string, Action: string) => ({ Type: 'repository', Class: '', Name, Action })
    expect(answer.body.errors[0].detail).toEqual([
      wanted('owner/other/y', 'pull'),
      wanted('owner/other/y', 'push'),
      wanted('owner/p/source', 'pull'),
    ])
  })
})

describe('the grace period of a blob', () => {
  const usedAt = async (digest: string) => {
    const { read } = server.app.platform.database
    const [row] = await read
      .selectFrom('registry_blobs as b')
      .innerJoin('registry_blob_links as l', 'l.blob_id', 'b.id')
      .select(['b.used_at as blob', 'l.used_at as link'])
      .where('b.digest', '=', digest)
      .execute()
    return row
  }

  test('begins again with a HEAD by those who push, with uploads and with mounts', async () => {
    const blob = await push('owner/p/kept')
    const first = await usedAt(blob.digest)
    const path = `owner/p/kept/blobs/${blob.digest}`
    clock.advance(3_600_000)
    await registry.send('HEAD', path, { scope: 'owner/p/kept:pull' })
    await registry.send('GET', path, { scope: 'owner/p/kept:pull,push' })
    expect(await usedAt(blob.digest)).toEqual(first)
    await registry.send('HEAD', path, { scope: 'owner/p/kept:pull,push' })
    const moment = () => clock.now().toISOString()
    expect(await usedAt(blob.digest)).toEqual({ blob: moment(), link: moment() })
    clock.advance(3_600_000)
    await push('owner/p/kept', blob)
    expect(await usedAt(blob.digest)).toEqual({ blob: moment(), link: moment() })
    clock.advance(3_600_000)
    const query = `mount=${blob.digest}&from=owner/p/kept`
    await registry.send('POST', `owner/p/kept/blobs/uploads/?${query}`, { scope: 'owner/p/kept:*' })
    expect((await usedAt(blob.digest))?.link).toBe(moment())
  })
})

describe('the content of a digest', () => {
  /** Deletes the rows of a blob. */
  const forget = (digest: Digest) =>
    server.app.platform.database.write(async (tx) => {
      const blob = tx.selectFrom('registry_blobs').select('id').where('digest', '=', digest)
      const { id } = await blob.executeTakeFirstOrThrow()
      await tx.deleteFrom('registry_blob_links').where('blob_id', '=', id).execute()
      await tx.deleteFrom('registry_blobs').where('id', '=', id).execute()
    })

  test('is deleted only when no blob and no upload needs it', async () => {
    const { platform } = server.app
    const blob = await push('owner/p/content')
    const digest = blob.digest as Digest
    const exists = async () => (await platform.objects.head(blobKey(digest))) !== null
    expect([await deleteUnusedContent(platform, digest), await exists()]).toEqual([false, true])
    const started = await registry.send('POST', 'owner/p/blobs/uploads/', { scope: 'owner/p:pull,push' })
    const id = started.headers.get('docker-upload-uuid') as string
    const setDigest = (text: string | null) =>
      platform.database.write((tx) =>
        tx.updateTable('registry_uploads').set({ digest: text }).where('id', '=', id).execute(),
      )
    // At no moment before is the content unused: the server collects it at any time.
    await setDigest(digest)
    await forget(digest)
    expect([await deleteUnusedContent(platform, digest), await exists()]).toEqual([false, true])
    await setDigest(null)
    expect([await deleteUnusedContent(platform, digest), await exists()]).toEqual([true, false])
    expect(await deleteUnusedContent(platform, digest)).toBe(true)
  })

  test('survives deletions beside uploads', async () => {
    const { platform } = server.app
    const blob = blobOf()
    const digest = blob.digest as Digest
    for (let round = 0; round < 5; round += 1) {
      const name = `owner/p/race${round}`
      let isPushed = false
      const deleting = (async () => {
        while (!isPushed) {
          await deleteUnusedContent(platform, digest)
          await setImmediate()
        }
      })()
      await push(name, blob)
      isPushed = true
      await deleting
      expect((await get(name, digest)).bytes.equals(blob.content)).toBe(true)
      await forget(digest)
      expect(await deleteUnusedContent(platform, digest)).toBe(true)
    }
  })
})

test('a blob that is collected while a client that pushes asks for it is unknown', async () => {
  const blob = await push('owner/p/collected')
  const { database } = server.app.platform
  const { write } = database
  const blobs = database.read.selectFrom('registry_blobs').select('id').where('digest', '=', blob.digest)
  const { id } = await blobs.executeTakeFirstOrThrow()
  // By a row, because the clock would start jobs, which write too.
  const used_at = new Date(clock.now().getTime() - 120_000).toISOString()
  await write((tx) => tx.updateTable('registry_blob_links').set({ used_at }).where('blob_id', '=', id).execute())
  await server.app.platform.jobs.drain()
  const headers = { Authorization: `Bearer ${await registry.tokenFor(['owner/p/collected:pull,push'])}` }
  let written = 0
  database.write = async (work) => {
    written += 1
    await write((tx) => tx.deleteFrom('registry_blob_links').where('blob_id', '=', id).execute())
    return write(work)
  }
  try {
    expect((await registry.send('HEAD', `owner/p/collected/blobs/${blob.digest}`, { headers })).status).toBe(404)
    expect(written).toBe(1)
  } finally {
    database.write = write
  }
})

describe('an upload that ends while its content is stored', () => {
  const scope = 'owner/p:pull,push'

  /** Runs work after content was stored, before its row is written. */
  async function afterStoring(work: () => Promise<unknown>, request: () => Promise<unknown>): Promise<void> {
    const { objects } = server.app.platform
    const { put, commit } = objects
    Object.assign(objects, {
      put: async (...given: Parameters<typeof put>) => put(...given).finally(work),
      commit: async (...given: Parameters<typeof commit>) => commit(...given).finally(work),
    })
    try {
      await request()
    } finally {
      Object.assign(objects, { put, commit })
    }
  }

  test.each(['at once', 'in chunks'])('by its removal is no blob, sent %s', async (form) => {
    const { platform } = server.app
    const blob = blobOf()
    const digest = blob.digest as Digest
    const started = await registry.send('POST', 'owner/p/blobs/uploads/', { scope })
    const location = started.headers.get('location') as string
    if (form === 'in chunks') await registry.send('PATCH', location, { scope, body: blob.content })
    const { id } = (await owner.get('/projects/owner%2Fp')).body
    const remove = async () => {
      // As the deletion of a repository does, and then the sweep, which finds content without a row.
      await dropUploadsOf(platform, { projectId: id, name: '' })
      expect(await deleteUnusedContent(platform, digest)).toBe(true)
    }
    await afterStoring(remove, async () => {
      const body = form === 'at once' ? blob.content : undefined
      const answer = await registry.send('PUT', `${location}?digest=${digest}`, { scope, body })
      expect(codeOf(answer)).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    })
    expect((await get('owner/p', digest)).status).toBe(404)
    expect(await platform.objects.head(blobKey(digest))).toBeNull()
  })

  test('by another request that names another digest is no blob', async () => {
    const [first, second] = [blobOf(), blobOf()]
    const started = await registry.send('POST', 'owner/p/blobs/uploads/', { scope })
    const location = started.headers.get('location') as string
    const put = ({ digest, content }: ReturnType<typeof blobOf>) =>
      registry.send('PUT', `${location}?digest=${digest}`, { scope, body: content })
    // As a second request does, from when it begins to store its content.
    const overtake = () =>
      server.app.platform.database.write((tx) =>
        tx
          .updateTable('registry_uploads')
          .set({ digest: second.digest })
          .where('id', '=', location.split('/').at(-1) ?? '')
          .execute(),
      )
    await afterStoring(overtake, async () => {
      expect(codeOf(await put(first))).toEqual([404, 'BLOB_UPLOAD_UNKNOWN'])
    })
    expect((await get('owner/p', first.digest)).status).toBe(404)
  })
})

describe('a store with addresses', () => {
  test('sends clients to them, when the setting says so', async () => {
    const { objects, config } = server.app.platform
    const original = objects.urlOf
    const blob = await push('owner/p', digits)
    const asked: unknown[] = []
    try {
      objects.urlOf = async (key, options) => {
        asked.push([key, options])
        return 'https://store.example/signed'
      }
      expect((await get('owner/p', blob.digest)).status).toBe(200)
      config.registryRedirect = true
      const { status, headers, body } = await get('owner/p', blob.digest, { Range: 'bytes=1-2' })
      expect([status, body, headers.get('location')]).toEqual([307, '', 'https://store.example/signed'])
      expect(headers.get('docker-content-digest')).toBe(blob.digest)
      expect(asked).toEqual([
        [blobKey(blob.digest as Digest), { expiresSeconds: 1200, contentType: 'application/octet-stream' }],
      ])
      const head = await registry.send('HEAD', `owner/p/blobs/${blob.digest}`, { scope: 'owner/p:pull' })
      expect([head.status, asked.length]).toEqual([200, 1])
      objects.urlOf = original
      expect((await get('owner/p', blob.digest)).status).toBe(200)
    } finally {
      objects.urlOf = original
      config.registryRedirect = false
    }
  })
})

describe('a store that fails', () => {
  test('on a full disk is 507, and the upload goes on', async () => {
    const { objects } = server.app.platform
    const { append, commit, put } = objects
    const blob = blobOf('abc')
    const full = async () => {
      throw new ObjectError('storage_full', 'full')
    }
    const scope = 'owner/p/full:pull,push'
    const started = await registry.send('POST', 'owner/p/full/blobs/uploads/', { scope })
    const location = started.headers.get('location') as string
    try {
      objects.put = full
      const whole = { scope, body: 'abc' } as const
      expect(codeOf(await registry.send('PUT', `${location}?digest=${blob.digest}`, whole))).toEqual([
        507,
        'UNAVAILABLE',
      ])
      objects.append = full
      const answer = await registry.send('PATCH', location, { scope, body: 'abc' })
      expect([answer.status, answer.body]).toEqual([
        507,
        { errors: [{ code: 'UNAVAILABLE', message: 'insufficient storage' }] },
      ])
      objects.append = append
      await registry.send('PATCH', location, { scope, body: 'abc' })
      objects.commit = full
      expect(codeOf(await registry.send('PUT', `${location}?digest=${blob.digest}`, { scope }))).toEqual([
        507,
        'UNAVAILABLE',
      ])
    } finally {
      Object.assign(objects, { append, commit, put })
    }
    expect((await registry.send('PUT', `${location}?digest=${blob.digest}`, { scope })).status).toBe(201)
  })

  test('in another way is 500 without details', async () => {
    const { objects } = server.app.platform
    const { get: original } = objects
    const blob = await push('owner/p')
    try {
      objects.get = async () => {
        throw new Error('secret detail')
      }
      const answer = await get('owner/p', blob.digest)
      expect([answer.status, answer.body]).toEqual([500, { errors: [{ code: 'UNKNOWN', message: 'unknown error' }] }])
    } finally {
      objects.get = original
    }
  })
})
