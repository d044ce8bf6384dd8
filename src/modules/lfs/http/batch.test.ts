import { describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { lfs, notFound, objectOf, owner, projectOfOwner, serveForTests, server } from '../testing.ts'

serveForTests()

describe('invalid batches', () => {
  test('is refused', async () => {
    await projectOfOwner('hostile')
    const object = objectOf()
    const path = 'owner/hostile.git/info/lfs/objects/batch'
    const answer = async (body: unknown, headers = {}) => {
      const { status, body: said } = await lfs.ask(owner, path, { body, headers, method: 'POST' })
      return [status, said.message]
    }
    const operation = 'operation must be download or upload'
    expect(await answer({ objects: [object] })).toEqual([400, operation])
    expect(await answer({ operation: ['download'], objects: [object] })).toEqual([400, operation])
    expect(await answer({ operation: 'verify', objects: [object] })).toEqual([400, operation])
    expect(await answer({ operation: 'download' })).toEqual([404, 'Not found.'])
    expect(await answer({ operation: 'download', objects: [] })).toEqual([404, 'Not found.'])
    expect(await answer({ operation: 'download', objects: { a: 1 } })).toEqual([400, 'objects is invalid'])
    expect(await answer('{')).toEqual([400, 'The request is no JSON'])
    expect(await answer('[]')).toEqual([400, 'The request is invalid'])
    expect(await answer('null')).toEqual([400, 'The request is invalid'])
    const wrongType = 'The request must be application/vnd.git-lfs+json'
    expect(await answer('{}', { 'Content-Type': 'text/plain' })).toEqual([415, wrongType])
    expect(await answer(`"${'x'.repeat(300_000)}"`)).toEqual([413, 'The request is too large'])
    const many = Array.from({ length: 101 }, () => ({ oid: object.oid, size: 1 }))
    const tooMany = 'At most 100 objects may be asked for at once'
    expect(await answer({ operation: 'download', objects: many })).toEqual([413, tooMany])
    const sha512 = { operation: 'download', objects: [object], hash_algo: 'sha512' }
    expect(await answer(sha512)).toEqual([409, 'Objects are named by their SHA-256 only'])
    expect(await lfs.ask(owner, path)).toMatchObject({ status: 404, body: notFound() })
    expect((await lfs.ask(owner, 'owner/hostile.git/info/lfs/other')).status).toBe(404)
    expect((await lfs.ask(owner, 'owner%2Fhostile.git/info/lfs/locks')).status).toBe(200)
    expect((await lfs.ask(owner, 'owner/%zz.git/info/lfs/locks')).status).toBe(404)
    expect((await lfs.ask(owner, 'owner/%00.git/info/lfs/locks')).status).toBe(404)
  })

  test('reports an error for each object', async () => {
    await projectOfOwner('mixed')
    const object = objectOf()
    await lfs.put(owner, 'owner/mixed', object)
    const invalid = { code: 422, message: 'Object is invalid' }
    const objects = [
      object,
      { oid: object.oid, size: 5 },
      { oid: object.oid.toUpperCase(), size: 5 },
      { oid: '../../etc/passwd', size: 5 },
      { oid: object.oid, size: -1 },
      { oid: object.oid, size: '5' },
      { oid: object.oid, size: 1e300 },
      { oid: { a: 1 }, size: 1 },
      {},
    ]
    for (const operation of ['download', 'upload']) {
      const { status, body } = await lfs.batch(owner, 'owner/mixed', operation, objects)
      expect(status).toBe(200)
      const errors = body.objects.map(({ error }: { error?: unknown }) => error ?? null)
      const otherSize = { code: 422, message: 'Object has another size' }
      expect(errors).toEqual([null, otherSize, ...Array.from({ length: 7 }, () => invalid)])
    }
    const { body } = await lfs.ask(owner, 'owner/mixed.git/info/lfs/objects/batch', {
      body: { operation: 'upload', objects: [null, 7, 'x'] },
    })
    expect(body.objects.map(({ error }: { error: unknown }) => error)).toEqual([invalid, invalid, invalid])
  })

  test('takes as many queries for a hundred objects as for one', async () => {
    await projectOfOwner('costs')
    const objects = Array.from({ length: 100 }, (_, index) => objectOf(`object ${index}`))
    for (const object of objects) await lfs.put(owner, 'owner/costs', object)
    for (const operation of ['download', 'upload']) {
      const cost = (count: number) =>
        queriesOf(server, () => lfs.batch(owner, 'owner/costs', operation, objects.slice(0, count)))
      expect(await cost(100)).toBe(await cost(2))
    }
  })

  test('addresses of objects do not lead to other files', async () => {
    await projectOfOwner('paths')
    const object = objectOf()
    for (const rest of ['x', '..%2f..%2fx', object.oid.slice(1), `${object.oid}/1`, `${object.oid}%00`]) {
      expect((await lfs.ask(owner, `owner/paths.git/gitlab-lfs/objects/${rest}`)).status).toBe(404)
    }
    for (const size of ['-1', '1e3', 'x', '9'.repeat(16)]) {
      const path = `owner/paths.git/gitlab-lfs/objects/${object.oid}/${size}`
      expect((await lfs.ask(owner, path, { method: 'PUT', body: 'x' })).status).toBe(404)
    }
  })
})
