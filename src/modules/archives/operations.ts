import { raw, reading, readingFiles, routeNotFound, t } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { archiveParams, createArchive, createSnapshot } from './archives.ts'
import { formatNames, isFormatName } from './names.ts'

const common = { method: 'GET', tag: 'Repositories', subject: project } as const
const packed = { ...raw, mediaType: ['application/octet-stream', 'application/zip'] } as const
const archive = { ...common, allow: 'read_code', scopes: readingFiles, jobToken: true, result: [200, packed] } as const

export const repositoryArchive = operation({
  ...archive,
  id: 'repository.archive',
  contract: 'x.repo_archive',
  path: '/projects/:id/repository/archive',
  summary: 'Download the files of a commit as an archive',
  params: { ...archiveParams, format: t.oneOf(formatNames, { description: 'Default `tar.gz`.' }) },
  run: ({ platform, subject, actor, request, params: { format = 'tar.gz', ...params } }) =>
    createArchive(platform, { project: subject, actor, request }, { ...params, format }),
})

export const repositoryArchiveBySuffix = operation({
  ...archive,
  id: 'repository.archive_by_suffix',
  contract: 'x.repo_archive_suffix',
  path: '/projects/:id/repository/archive.:suffix',
  summary: 'Download the files of a commit as an archive in the format of the suffix',
  params: archiveParams,
  async run({ platform, subject, actor, request, params: { suffix, ...params } }) {
    if (!isFormatName(suffix)) throw routeNotFound()
    return createArchive(platform, { project: subject, actor, request }, { ...params, format: suffix })
  },
})

export const repositorySnapshot = operation({
  ...common,
  id: 'repository.snapshot',
  contract: 'x.repo_snapshot',
  path: '/projects/:id/snapshot',
  summary: 'Download the bare repository as a tar archive',
  allow: 'administer',
  scopes: reading,
  params: { wiki: t.boolean({ description: "Whether to download the wiki's repository." }) },
  result: [200, { ...raw, mediaType: 'application/x-tar' }],
  run: ({ platform, subject, actor, request, params: { wiki = false } }) =>
    createSnapshot(platform, { project: subject, actor, request }, { wiki }),
})
