import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../../infra/database/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { requestDeletionOf } from '../deletion/store.ts'
import { blobOf, codeOf, type Registry, registryOf } from '../http/testing.ts'

let server: TestServer
let registry: Registry
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  registry = registryOf(server)
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const blob = blobOf('content')
const push = (name: string) =>
  registry.send('POST', `${name}/blobs/uploads/?digest=${blob.digest}`, { scope: `${name}:*`, body: blob.content })
const get = (name: string) => registry.send('GET', `${name}/blobs/${blob.digest}`, { scope: `${name}:pull` })
const records = (projectId: number) =>
  server.app.platform.database.read
    .selectFrom('registry_repositories')
    .select(['id', 'name', 'path'])
    .where('project_id', '=', projectId)
    .orderBy('name')
    .execute()

describe('a repository', () => {
  test('belongs to the project with the longest path', async () => {
    const group = await server.make.group('g', owner)
    const below = await server.make.group('web', owner, { parent: group })
    const near = await server.make.project('api', owner, { namespace: below })
    const other = await server.make.project('p', owner, { namespace: group })
    for (const name of ['g/web/api', 'g/web/api/a/b', 'g/p', 'g/p/web/api']) {
      expect([name, (await push(name)).status]).toEqual([name, 201])
    }
    expect(await records(near.id)).toMatchObject([{ name: '' }, { name: 'a/b' }])
    expect(await records(other.id)).toMatchObject([{ name: '' }, { name: 'web/api' }])
    for (const name of ['g/web', 'g/p/a/b/c', 'g/absent', 'other/p']) {
      const answer = await push(name)
      expect([answer.status, answer.body]).toEqual([
        404,
        {
          errors: [{ code: 'NAME_UNKNOWN', message: 'repository name not known to registry', detail: { name } }],
        },
      ])
    }
  })

  test('is found in lower case, and follows its project to another path', async () => {
    const project = await server.make.project('Mixed', owner)
    expect((await push('owner/mixed/web')).status).toBe(201)
    const [before] = await records(project.id)
    expect((await owner.put(`/projects/${project.id}`, { path: 'renamed' })).status).toBe(200)
    expect(codeOf(await get('owner/mixed/web'))).toEqual([404, 'NAME_UNKNOWN'])
    expect((await get('owner/renamed/web')).body).toBe('content')
    expect((await push('owner/renamed/web')).status).toBe(201)
    expect(await records(project.id)).toEqual([before])
  })

  test('is created once by first pushes at the same time', async () => {
    const project = await server.make.project('race', owner)
    const answers = await Promise.all(Array.from({ length: 12 }, () => push('owner/race/one')))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(await records(project.id)).toHaveLength(1)
  })
})

describe('a name that is not legal', () => {
  test.each([
    'owner',
    'Owner/p',
    'owner/-p',
    'owner/foo-_bar',
    'owner/p%2fq',
    'owner/..%2f..',
    'owner/p%00',
    'owner/p%20q',
    'owner/%C3%A4',
    `owner/${'x'.repeat(300)}`,
    Array.from({ length: 20 }, () => 'a').join('/'),
    `owner/${'a-'.repeat(8_000)}`,
  ])('%s is refused before the token', async (name) => {
    const { status, body } = await registry.send('GET', `${name}/blobs/${blob.digest}`)
    expect([status, body.errors]).toEqual([
      400,
      [{ code: 'NAME_INVALID', message: 'invalid repository name', detail: { name } }],
    ])
  })
})

describe('a token', () => {
  test('must grant the actions on this repository', async () => {
    await server.make.project('scoped', owner)
    await push('owner/scoped')
    const path = `owner/scoped/blobs/${blob.digest}`
    const realm = `Bearer realm="${server.url}/jwt/auth",service="container_registry",scope="repository:owner/scoped:`
    const challengeOf = async (method: string, to: string, scope: `${string}:${string}`[] | undefined) => {
      const { status, headers } = await registry.send(method, to, scope ? { scope } : {})
      return [status, headers.get('www-authenticate')?.replace(realm, '')]
    }
    const insufficient = (actions: string) => [401, `${actions}",error="insufficient_scope"`]
    expect(await challengeOf('GET', path, undefined)).toEqual([401, 'pull"'])
    expect(await challengeOf('GET', path, [])).toEqual(insufficient('pull'))
    expect(await challengeOf('GET', path, ['owner/scoped:push,delete'])).toEqual(insufficient('pull'))
    expect(await challengeOf('GET', path, ['owner/other:pull', 'owner:*'])).toEqual(insufficient('pull'))
    expect(await challengeOf('GET', path, ['owner/scoped:*'])).toEqual([200, undefined])
    const uploads = 'owner/scoped/blobs/uploads/'
    expect(await challengeOf('POST', uploads, ['owner/scoped:pull'])).toEqual(insufficient('pull,push'))
    expect(await challengeOf('POST', uploads, ['owner/scoped:push'])).toEqual(insufficient('pull,push'))
    expect(await challengeOf('POST', uploads, ['owner/scoped:pull', 'owner/scoped:push'])).toEqual([202, undefined])
    expect(await challengeOf('DELETE', path, ['owner/scoped:pull,push'])).toEqual(insufficient('delete'))
    const { body } = await registry.send('POST', uploads)
    const wanted = { Type: 'repository', Class: '', Name: 'owner/scoped' }
    expect(body.errors[0].detail).toEqual([
      { ...wanted, Action: 'pull' },
      { ...wanted, Action: 'push' },
    ])
  })

  test('does not tell whether a project exists', async () => {
    const path = (name: string) => `${name}/blobs/${blob.digest}`
    const [known, unknown] = [
      await registry.send('GET', path('owner/scoped')),
      await registry.send('GET', path('owner/nowhere')),
    ]
    expect([known.status, known.body.errors[0].code]).toEqual([unknown.status, unknown.body.errors[0].code])
  })
})

describe('a project', () => {
  test('without a registry is unknown, and shows its images again later', async () => {
    const { id } = await server.make.project('closing', owner)
    await push('owner/closing')
    await owner.put(`/projects/${id}`, { container_registry_access_level: 'disabled' })
    expect(codeOf(await get('owner/closing'))).toEqual([404, 'NAME_UNKNOWN'])
    expect(codeOf(await push('owner/closing'))).toEqual([404, 'NAME_UNKNOWN'])
    await owner.put(`/projects/${id}`, { container_registry_access_level: 'private' })
    expect((await get('owner/closing')).body).toBe('content')
  })

  test('that is archived can be pulled from only', async () => {
    const { id } = await server.make.project('archive', owner)
    await push('owner/archive')
    const started = await registry.send('POST', 'owner/archive/blobs/uploads/', { scope: 'owner/archive:*' })
    const upload = started.headers.get('location') as string
    await owner.post(`/projects/${id}/archive`)
    expect((await get('owner/archive')).body).toBe('content')
    for (const [method, path] of [
      ['POST', 'owner/archive/blobs/uploads/'],
      ['PATCH', upload],
      ['PUT', `${upload}?digest=${blob.digest}`],
      ['DELETE', upload],
      ['DELETE', `owner/archive/blobs/${blob.digest}`],
    ] as const) {
      const { status, body } = await registry.send(method, path, { scope: 'owner/archive:*' })
      expect([method, status, body.errors]).toEqual([method, 403, [{ code: 'DENIED', message: 'project is archived' }]])
    }
    await owner.post(`/projects/${id}/unarchive`)
    expect((await push('owner/archive')).status).toBe(201)
  })

  test('that is archived while a blob arrives takes nothing', async () => {
    const { id } = await server.make.project('late', owner)
    const { objects } = server.app.platform
    const { put } = objects
    try {
      objects.put = async (...parameters) => {
        await owner.post(`/projects/${id}/archive`)
        return put(...parameters)
      }
      const late = blobOf('too late')
      const path = `owner/late/blobs/uploads/?digest=${late.digest}`
      const answer = await registry.send('POST', path, { scope: 'owner/late:*', body: late.content })
      expect(codeOf(answer)).toEqual([403, 'DENIED'])
      expect(await objects.head(`blobs/sha256/${late.hex.slice(0, 2)}/${late.hex}` as never)).toBeNull()
      expect(await records(id)).toEqual([])
    } finally {
      objects.put = put
    }
  })

  test('whose repository is deleted while a blob arrives takes nothing', async () => {
    const { id } = await server.make.project('gone', owner)
    expect((await push('owner/gone/web')).status).toBe(201)
    const { objects } = server.app.platform
    const { put } = objects
    try {
      objects.put = async (...parameters) => {
        const [record] = await records(id)
        await server.app.platform.database.write((tx) => requestDeletionOf(tx, record?.id ?? 0))
        return put(...parameters)
      }
      const late = blobOf('too late for its repository')
      const path = `owner/gone/web/blobs/uploads/?digest=${late.digest}`
      const answer = await registry.send('POST', path, { scope: 'owner/gone/web:*', body: late.content })
      expect(codeOf(answer)).toEqual([403, 'DENIED'])
      expect(await objects.head(`blobs/sha256/${late.hex.slice(0, 2)}/${late.hex}` as never)).toBeNull()
    } finally {
      objects.put = put
    }
  })
})

describe('a database that is lost', () => {
  test('is 503 in the form of the registry', async () => {
    await server.make.project('lost', owner)
    const { database } = server.app.platform
    const { write } = database
    try {
      database.write = async () => {
        throw new DatabaseUnavailable(new Error('gone'))
      }
      const { status, body, headers } = await push('owner/lost')
      expect([status, body, headers.get('retry-after')]).toEqual([
        503,
        { errors: [{ code: 'UNAVAILABLE', message: 'service unavailable' }] },
        '5',
      ])
    } finally {
      database.write = write
    }
    expect((await push('owner/lost')).status).toBe(201)
  })
})
