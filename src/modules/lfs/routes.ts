import type { ServedRoute } from '../../api/index.ts'

/** Media type of requests and answers of the LFS service. */
export const lfsMediaType = 'application/vnd.git-lfs+json'

const json = { mediaType: lfsMediaType }
const refused = {
  401: { description: 'Credentials are missing or wrong', ...json },
  403: { description: 'The caller may not do this', ...json },
  404: { description: 'Not found, or not visible to the caller', ...json },
  501: { description: 'LFS is disabled', ...json },
}

const unsupported = { 415: { description: 'The body is not JSON by its content type.', ...json } }

const objects = '/{project_path}.git/gitlab-lfs/objects'
const locks = '/{project_path}.git/info/lfs/locks'
const paging = {
  limit: { required: false, description: 'Locks of one answer; 100 unless given, 1,000 at most.' },
  cursor: { required: false, description: '`next_cursor` of the previous answer.' },
}

const routes: readonly Omit<ServedRoute, 'tag'>[] = [
  {
    id: 'lfs.batch',
    contract: 'x.lfs_batch',
    method: 'POST',
    path: '/{project_path}.git/info/lfs/objects/batch',
    summary: 'Get addresses to download or upload large files',
    description:
      'Takes `operation` (`download`, which needs `read_code`, or `upload`, which needs `push_code`) and at most 100 `objects`, each with `oid` and `size`.',
    takes: lfsMediaType,
    answers: {
      200: { description: 'What to do with each object', ...json },
      400: { description: 'Malformed request', ...json },
      413: { description: 'Too many objects', ...json },
      ...refused,
      ...unsupported,
    },
  },
  {
    id: 'lfs.download',
    contract: 'x.lfs_download',
    method: 'GET',
    path: `${objects}/{oid}`,
    summary: 'Download a large file',
    description: 'Supports `Range`.',
    answers: {
      200: { description: 'The bytes', mediaType: 'application/octet-stream' },
      206: { description: 'Some of the bytes', mediaType: 'application/octet-stream' },
      416: { description: 'Range not satisfiable', ...json },
      ...refused,
    },
  },
  {
    id: 'lfs.upload',
    contract: 'x.lfs_upload',
    method: 'PUT',
    path: `${objects}/{oid}/{size}`,
    summary: 'Upload a large file',
    description: 'SHA-256 and size are verified while the bytes arrive; other content is discarded.',
    takes: 'application/octet-stream',
    answers: {
      200: { description: 'Stored' },
      400: { description: 'The content has another digest or size', ...json },
      ...refused,
    },
  },
  {
    id: 'lfs.locks',
    contract: 'x.lfs_locks_list',
    method: 'GET',
    path: locks,
    summary: 'List locked files',
    description: 'Ordered by id.',
    query: {
      path: { required: false, description: 'Only the lock of this file.' },
      id: { required: false, description: 'Only this lock.' },
      ...paging,
    },
    answers: { 200: { description: 'The locks', ...json }, ...refused },
  },
  {
    id: 'lfs.lock',
    contract: 'x.lfs_locks_create',
    method: 'POST',
    path: locks,
    summary: 'Lock a file',
    description: 'Takes `path`.',
    takes: lfsMediaType,
    answers: {
      201: { description: 'The lock', ...json },
      409: { description: 'Already locked; the answer contains the lock', ...json },
      ...refused,
      ...unsupported,
    },
  },
  {
    id: 'lfs.verify_locks',
    contract: 'x.lfs_locks_verify',
    method: 'POST',
    path: `${locks}/verify`,
    summary: 'List own locks and those of others',
    description: 'Takes `limit` and `cursor`.',
    takes: lfsMediaType,
    answers: { 200: { description: 'The locks', ...json }, ...refused, ...unsupported },
  },
  {
    id: 'lfs.unlock',
    contract: 'x.lfs_unlock',
    method: 'POST',
    path: `${locks}/{lock_id}/unlock`,
    summary: 'Unlock a file',
    description: 'Maintainers may remove locks of others with `force`.',
    takes: lfsMediaType,
    answers: { 200: { description: 'The removed lock', ...json }, ...refused, ...unsupported },
  },
]

/** Documentation of the LFS service (contract 22, "git transport"). */
export const lfsRoutes: readonly ServedRoute[] = routes.map((route) => ({ ...route, tag: 'Git LFS' }))
