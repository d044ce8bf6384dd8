import { mountSource } from '../blobs/mount.ts'
import { changeRefusals, refusal, repositoryRefusals } from '../http/documentation.ts'
import { pushing, type RepositoryEndpoint } from '../http/endpoint.ts'
import { cancelUpload, getUpload, patchUpload, putUpload, startUpload } from './requests.ts'

const path = '/v2/{name}/blobs/uploads/{uuid}'
const takes = 'application/octet-stream'
const busy = refusal('Another request writes to the upload')
const misplaced = refusal('The chunk does not continue the upload')

/** Uploading blobs, at once or in chunks. */
export const uploadEndpoints: readonly RepositoryEndpoint[] = [
  {
    id: 'registry.upload_start',
    contract: 'x.v2_upload_start',
    method: 'POST',
    path: '/v2/{name}/blobs/uploads/',
    summary: 'Start a blob upload, upload at once, or mount a blob',
    description: 'Opens an upload, whose address is in `Location`. With `digest`, the body is the whole blob.',
    query: {
      digest: { required: false, description: 'Digest of the body, which is the whole blob.' },
      mount: {
        required: false,
        description: 'Digest of a blob of another repository, to be linked without an upload.',
      },
      from: { required: false, description: 'The repository that has the blob; the token must grant `pull` on it.' },
      'digest-algorithm': { required: false, description: 'Algorithm of the digest to come: `sha256` or `sha512`.' },
    },
    answers: {
      201: { description: 'The blob is in the repository' },
      202: { description: 'An upload was opened' },
      ...changeRefusals,
    },
    access: { ...pushing, source: mountSource },
    run: startUpload,
  },
  {
    id: 'registry.upload_status',
    contract: 'x.v2_upload_status',
    method: 'GET',
    path,
    summary: 'Get the offset of a blob upload',
    description: 'The header `Range` says which bytes were received.',
    answers: { 204: { description: 'The upload is open' }, ...repositoryRefusals },
    access: { anyOf: [['pull'], ['push']], asks: ['pull'] },
    run: getUpload,
  },
  {
    id: 'registry.upload_patch',
    contract: 'x.v2_upload_patch',
    method: 'PATCH',
    path,
    summary: 'Append a chunk to a blob upload',
    description: '`Content-Range` is optional. What was received before a connection broke is not lost.',
    takes,
    answers: { 202: { description: 'Appended' }, 409: busy, 416: misplaced, ...changeRefusals },
    access: pushing,
    run: patchUpload,
  },
  {
    id: 'registry.upload_put',
    contract: 'x.v2_upload_put',
    method: 'PUT',
    path,
    summary: 'Finish a blob upload',
    description: 'Takes the last chunk, if any, and verifies the digest.',
    query: { digest: { required: true, description: 'Digest of the whole blob.' } },
    takes,
    answers: { 201: { description: 'The blob is in the repository' }, 409: busy, 416: misplaced, ...changeRefusals },
    access: pushing,
    run: putUpload,
  },
  {
    id: 'registry.upload_cancel',
    contract: 'x.v2_upload_cancel',
    method: 'DELETE',
    path,
    summary: 'Cancel a blob upload',
    description: 'Deletes what was received.',
    answers: { 204: { description: 'Cancelled' }, ...changeRefusals },
    access: { anyOf: [['push']], asks: pushing.asks },
    run: cancelUpload,
  },
]
