import { nothing, type Operation, operation, pageOf, raw, reading, readingFiles, Type, t } from '../../../api/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import type { Files } from '../files.ts'
import { filePath, optionalRef, requiredRef } from '../params.ts'
import { Blame, Blob, Entry, File } from '../present.ts'
import type { Trees } from '../trees.ts'

const tag = 'Repository files'
const file = '/projects/:id/repository/files/:file_path'

export type ReadingOperationsNeeds = { files: Files; trees: Trees; project: ProjectSubject }

const range = t.object(
  {
    start: t.required(t.integer({ minimum: 1, description: 'First line, counted from 1.' })),
    end: t.required(t.integer({ minimum: 1, description: 'Last line.' })),
  },
  { description: 'Lines that are looked at.' },
)

/** Reading the content of a repository (contract 22, x.files_get … x.repo_blob_raw). */
export function fileReadingOperations(needs: ReadingOperationsNeeds): Operation[] {
  return [...wholeFiles(needs), ...blames(needs), ...trees(needs), ...blobs(needs)]
}

function setAll(setHeader: (name: string, value: string) => void, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) setHeader(name, value)
}

function wholeFiles({ files, project }: ReadingOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'files.get',
      contract: 'x.files_get',
      method: 'GET',
      path: file,
      tag,
      summary: 'Get a file with its content',
      description: 'Files above 10 MiB may be asked for five times a minute.',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params: { file_path: filePath, ref: requiredRef },
      result: [200, File],
      async run({ subject, actor, params, request, setHeader }) {
        const reader = { project: subject, actor, request }
        const answer = await files.get(reader, { path: params.file_path, ref: params.ref })
        setAll(setHeader, answer.headers)
        return answer.file
      },
    }),
    operation({
      id: 'files.head',
      contract: 'x.files_head',
      method: 'HEAD',
      path: file,
      tag,
      summary: 'Get what is known of a file, in headers',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params: { file_path: filePath, ref: requiredRef },
      result: [200, nothing],
      async run({ subject, actor, params, request, setHeader }) {
        const reader = { project: subject, actor, request }
        const headers = await files.headers(reader, { path: params.file_path, ref: params.ref })
        setAll(setHeader, headers)
      },
    }),
    operation({
      id: 'files.raw',
      contract: 'x.files_raw',
      method: 'GET',
      path: `${file}/raw`,
      tag,
      summary: 'Get the bytes of a file',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params: {
        file_path: filePath,
        ref: optionalRef,
        lfs: t.boolean({ description: 'Whether a pointer of git LFS is answered with what it points at.' }),
      },
      result: [200, raw],
      run: ({ subject, actor, params, request }) => {
        const address = { path: params.file_path, ref: params.ref || 'HEAD' }
        return files.raw({ project: subject, actor, request }, address, { lfs: params.lfs ?? false })
      },
    }),
  ]
}

function blames({ files, project }: ReadingOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'files.blame',
      contract: 'x.files_blame',
      method: 'GET',
      path: `${file}/blame`,
      tag,
      summary: 'Get which commit each line of a file came with',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params: { file_path: filePath, ref: requiredRef, range },
      result: [200, Type.Array(Blame)],
      async run({ subject, actor, params, request, setHeader }) {
        const reader = { project: subject, actor, request }
        const answer = await files.blame(reader, { path: params.file_path, ref: params.ref }, params.range)
        setAll(setHeader, answer.headers)
        return answer.blame
      },
    }),
    operation({
      id: 'files.blame_head',
      contract: 'x.files_blame_head',
      method: 'HEAD',
      path: `${file}/blame`,
      tag,
      summary: 'Get what is known of a file, in headers, before its blame is asked for',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params: { file_path: filePath, ref: requiredRef },
      result: [200, nothing],
      async run({ subject, actor, params, request, setHeader }) {
        const reader = { project: subject, actor, request }
        const headers = await files.headers(reader, { path: params.file_path, ref: params.ref })
        setAll(setHeader, headers)
      },
    }),
  ]
}

function trees({ trees, project }: ReadingOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'repository.tree',
      contract: 'x.repo_tree',
      method: 'GET',
      path: '/projects/:id/repository/tree',
      tag: 'Repositories',
      summary: 'List the files and directories of a repository',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      params: {
        ref: optionalRef,
        path: t.string({ description: 'Directory; the root unless given.' }),
        recursive: t.boolean({ description: 'Whether everything below the directory is listed.' }),
        pagination: t.oneOf(['legacy', 'keyset', 'none'], {
          description: '`none` lists everything at once, with `recursive` alone.',
        }),
      },
      list: { pageToken: true },
      result: [200, pageOf(Entry)],
      run: ({ subject, params, page, request }) => trees.list(subject, params, page, request.signal),
    }),
  ]
}

function blobs({ files, project }: ReadingOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'repository.blob',
      contract: 'x.repo_blob',
      method: 'GET',
      path: '/projects/:id/repository/blobs/:sha',
      tag: 'Repositories',
      summary: 'Get a blob with its content',
      description: 'Blobs above 10 MiB may be asked for five times a minute.',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      result: [200, Blob],
      run: ({ subject, actor, request }) => files.blob({ project: subject, actor, request }, request.path.sha ?? ''),
    }),
    operation({
      id: 'repository.raw_blob',
      contract: 'x.repo_blob_raw',
      method: 'GET',
      path: '/projects/:id/repository/blobs/:sha/raw',
      tag: 'Repositories',
      summary: 'Get the bytes of a blob',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      result: [200, raw],
      run: ({ subject, actor, request }) => files.rawBlob({ project: subject, actor, request }, request.path.sha ?? ''),
    }),
  ]
}
