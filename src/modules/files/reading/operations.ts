import { nothing, raw, reading, readingFiles, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { filesThrottle } from '../throttle.ts'
import { blameFile, getBlob, getFile, getFileHeaders, getRawBlob, getRawFile } from './files.ts'
import { filePath, optionalRef, requiredRef } from './params.ts'
import { Blame, Blob, File } from './present.ts'

const file = '/projects/:id/repository/files/:file_path'
const common = {
  tag: 'Repository files',
  subject: project,
  allow: 'read_code',
  scopes: readingFiles,
  jobToken: true,
  throttle: filesThrottle,
} as const

/** The content decides about the type. */
const bytes = { ...raw, mediaType: ['text/plain', 'application/octet-stream'] } as const

const blobs = { method: 'GET', tag: 'Repositories', subject: project, allow: 'read_code' } as const

const range = t.object(
  {
    start: t.required(t.integer({ minimum: 1, description: 'First line, counted from 1.' })),
    end: t.required(t.integer({ minimum: 1, description: 'Last line.' })),
  },
  { description: 'Only these lines.' },
)

function setAll(setHeader: (name: string, value: string) => void, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) setHeader(name, value)
}

function headersOf(path: string, named: { id: string; contract: string; summary: string }) {
  return operation({
    ...common,
    ...named,
    method: 'HEAD',
    path,
    params: { file_path: filePath, ref: requiredRef },
    result: [200, nothing],
    async run({ platform, subject, actor, params: { file_path: path, ref }, request, setHeader }) {
      setAll(setHeader, await getFileHeaders(platform, { project: subject, actor, request }, { path, ref }))
    },
  })
}

export const filesGet = operation({
  ...common,
  id: 'files.get',
  contract: 'x.files_get',
  method: 'GET',
  path: file,
  summary: 'Get a file with its content',
  description: 'Files above 10 MiB may be read five times a minute.',
  params: { file_path: filePath, ref: requiredRef },
  result: [200, File],
  async run({ platform, subject, actor, params: { file_path: path, ref }, request, setHeader }) {
    const answer = await getFile(platform, { project: subject, actor, request }, { path, ref })
    setAll(setHeader, answer.headers)
    return answer.file
  },
})

export const filesHead = headersOf(file, {
  id: 'files.head',
  contract: 'x.files_head',
  summary: 'Get the facts about a file, in headers',
})

export const filesRaw = operation({
  ...common,
  id: 'files.raw',
  contract: 'x.files_raw',
  method: 'GET',
  path: `${file}/raw`,
  summary: 'Get the bytes of a file',
  params: {
    file_path: filePath,
    ref: optionalRef,
    lfs: t.boolean({ description: 'Whether a git LFS pointer is answered with its object.' }),
  },
  result: [200, bytes],
  run({ platform, subject, actor, params: { file_path: path, ref, lfs = false }, request }) {
    return getRawFile(platform, { project: subject, actor, request }, { path, ref: ref || 'HEAD' }, { lfs })
  },
})

export const filesBlame = operation({
  ...common,
  id: 'files.blame',
  contract: 'x.files_blame',
  method: 'GET',
  path: `${file}/blame`,
  summary: 'Get the commit of each line of a file',
  params: { file_path: filePath, ref: requiredRef, range },
  result: [200, Type.Array(Blame)],
  async run({ platform, subject, actor, params: { file_path: path, ref, range }, request, setHeader }) {
    const answer = await blameFile(platform, { project: subject, actor, request }, { path, ref }, range)
    setAll(setHeader, answer.headers)
    return answer.blame
  },
})

export const filesBlameHead = headersOf(`${file}/blame`, {
  id: 'files.blame_head',
  contract: 'x.files_blame_head',
  summary: 'Get the facts about a file, in headers, before its blame',
})

export const repositoryBlob = operation({
  ...blobs,
  id: 'repository.blob',
  contract: 'x.repo_blob',
  path: '/projects/:id/repository/blobs/:sha',
  summary: 'Get a blob with its content',
  description: 'Blobs above 10 MiB may be read five times a minute.',
  scopes: reading,
  result: [200, Blob],
  run: ({ platform, subject, actor, params, request }) =>
    getBlob(platform, { project: subject, actor, request }, params.sha),
})

export const repositoryRawBlob = operation({
  ...blobs,
  id: 'repository.raw_blob',
  contract: 'x.repo_blob_raw',
  path: '/projects/:id/repository/blobs/:sha/raw',
  summary: 'Get the bytes of a blob',
  scopes: readingFiles,
  result: [200, bytes],
  run: ({ platform, subject, actor, params, request }) =>
    getRawBlob(platform, { project: subject, actor, request }, params.sha),
})
