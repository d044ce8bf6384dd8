import { describe, expect, test } from 'vitest'
import type { RepositoryEndpoint } from './endpoint.ts'
import { registryPaths } from './paths.ts'

const endpoint = (method: string, path: string) =>
  ({ id: `${method} ${path}`, method, path }) as unknown as RepositoryEndpoint

const find = registryPaths(
  [],
  [
    endpoint('GET', '/v2/{name}/tags/list'),
    endpoint('GET', '/v2/{name}/manifests/{reference}'),
    endpoint('GET', '/v2/{name}/blobs/{digest}'),
    endpoint('POST', '/v2/{name}/blobs/uploads/'),
    endpoint('GET', '/v2/{name}/blobs/uploads/{uuid}'),
    endpoint('PATCH', '/v2/{name}/blobs/uploads/{uuid}'),
    endpoint('DELETE', '/v2/{name}/tags/reference/{tag}'),
  ],
)

function found(path: string) {
  const result = find(path)
  if (result?.kind !== 'repository') return null
  return [result.name, result.reference, [...result.endpoints.values()].map(({ id }) => id.replace('/v2/{name}', ''))]
}

const manifest = ['GET /manifests/{reference}']
const uploads = ['POST /blobs/uploads/']
const upload = ['GET /blobs/uploads/{uuid}', 'PATCH /blobs/uploads/{uuid}']

describe('a path', () => {
  test.each([
    ['/v2/g/p/manifests/v1', ['g/p', 'v1', manifest]],
    ['/v2/g/p/manifests/manifests/v1', ['g/p/manifests', 'v1', manifest]],
    ['/v2/g/p/manifests/tags/list', ['g/p/manifests', '', ['GET /tags/list']]],
    ['/v2/g/p/tags/list/manifests/v1', ['g/p/tags/list', 'v1', manifest]],
    ['/v2/g/p/blobs/uploads/manifests/v1', ['g/p/blobs/uploads', 'v1', manifest]],
    ['/v2/g/p/blobs/uploads/', ['g/p', '', uploads]],
    ['/v2/g/p/blobs/uploads', ['g/p', '', uploads]],
    ['/v2/g/p/blobs/blobs/uploads', ['g/p/blobs', '', uploads]],
    ['/v2/g/p/blobs/uploads/uploads', ['g/p', 'uploads', upload]],
    ['/v2/g/p/blobs/uploads/blobs/uploads/x', ['g/p/blobs/uploads', 'x', upload]],
    ['/v2/g/p/tags/reference/list', ['g/p', 'list', ['DELETE /tags/reference/{tag}']]],
    ['/v2/g/p/tags/reference/tags/list', ['g/p/tags/reference', '', ['GET /tags/list']]],
    ['/v2/a/blobs/sha256%3aff', ['a', 'sha256:ff', ['GET /blobs/{digest}']]],
    ['/v2/a/blobs/%2e%2e%2f%00', ['a', '../\0', ['GET /blobs/{digest}']]],
    ['/v2/a/blobs/%zz', ['a', '%zz', ['GET /blobs/{digest}']]],
    ['/v2/%2e%2e/blobs/x', ['%2e%2e', 'x', ['GET /blobs/{digest}']]],
  ])('%s is divided at the last part that has the form of an endpoint', (path, expected) => {
    expect(found(path)).toEqual(expected)
  })

  test.each([
    '/v2/g/p',
    '/v2/g/p/manifests',
    '/v2/g/p/manifests/',
    '/v2/manifests/v1',
    '/v2/tags/list',
    '/v2//tags/list',
    '/v2/g/p/tags/list/',
    '/v2/g/p/Manifests/v1',
    '/v2/g/p/manifests/a/b',
    '/v2/g/p%2Fmanifests%2Fv1',
  ])('%s has no endpoint', (path) => {
    expect(found(path)).toBeNull()
  })
})
