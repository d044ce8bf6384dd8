import { changeRefusals, refusal, repositoryRefusals } from '../http/documentation.ts'
import { deleting, pulling, type RepositoryEndpoint } from '../http/endpoint.ts'
import { deleteBlob } from './delete.ts'
import { getBlob, headBlob } from './read.ts'

const path = '/v2/{name}/blobs/{digest}'
const mediaType = 'application/octet-stream'

/** Reading and removing blobs. */
export const blobEndpoints: readonly RepositoryEndpoint[] = [
  {
    id: 'registry.blob_get',
    contract: 'x.v2_blob_get',
    method: 'GET',
    path,
    summary: 'Pull a blob, whole or a range',
    description:
      'A layer or configuration of an image of this repository. Supports `Range`, `If-Range` and `If-None-Match`.',
    answers: {
      200: { description: 'The bytes', mediaType },
      206: { description: 'Some of the bytes', mediaType },
      304: { description: 'The client has the blob already' },
      307: { description: 'The bytes are at another address, for twenty minutes' },
      416: refusal('The blob has no byte of the range'),
      ...repositoryRefusals,
    },
    access: pulling,
    run: getBlob,
  },
  {
    id: 'registry.blob_head',
    contract: 'x.v2_blob_head',
    method: 'HEAD',
    path,
    summary: 'Check that a blob exists',
    description:
      'With a token that grants `push`, it protects the blob from garbage collection for another grace period.',
    answers: { 200: { description: 'The blob exists' }, ...repositoryRefusals },
    access: pulling,
    run: headBlob,
  },
  {
    id: 'registry.blob_delete',
    contract: 'x.v2_blob_delete',
    method: 'DELETE',
    path,
    summary: 'Remove a blob from a repository',
    description: 'Other repositories keep it. Blobs that manifests refer to cannot be removed.',
    answers: {
      202: { description: 'Removed' },
      405: refusal('A manifest of this repository refers to the blob'),
      ...changeRefusals,
    },
    access: deleting,
    run: deleteBlob,
  },
]
