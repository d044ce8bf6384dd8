import { type Operation, operation, raw, reading, readingFiles, routeNotFound, t } from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { Archives } from './archives.ts'
import { formatNames, isFormatName } from './names.ts'

const tag = 'Repositories'

const params = {
  sha: t.string({ description: 'Branch, tag or commit; the default branch unless given.' }),
  path: t.string({ description: 'Directory to which the archive is limited.' }),
  exclude_paths: t.array(t.string(), {
    commaSeparated: true,
    maximum: 100,
    description: 'Paths that are left out, separated by commas.',
  }),
}

/** Downloading whole repositories (contract 22, x.repo_archive, x.repo_snapshot). */
export function archiveOperations({ archives, project }: { archives: Archives; project: ProjectSubject }): Operation[] {
  return [
    operation({
      id: 'repository.archive',
      contract: 'x.repo_archive',
      method: 'GET',
      path: '/projects/:id/repository/archive',
      tag,
      summary: 'Download the files of a commit as an archive',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params: { ...params, format: t.oneOf(formatNames, { description: 'Default `tar.gz`.' }) },
      result: [200, raw],
      run: ({ subject, actor, request, params }) =>
        archives.archive({ project: subject, actor, request }, { ...params, format: params.format ?? 'tar.gz' }),
    }),
    operation({
      id: 'repository.archive_by_suffix',
      contract: 'x.repo_archive_suffix',
      method: 'GET',
      path: '/projects/:id/repository/archive.:suffix',
      tag,
      summary: 'Download the files of a commit as an archive whose format the path names',
      subject: project,
      allow: 'read_code',
      scopes: readingFiles,
      jobToken: true,
      params,
      result: [200, raw],
      async run({ subject, actor, request, params }) {
        const { suffix = '' } = request.path
        if (!isFormatName(suffix)) throw routeNotFound()
        return archives.archive({ project: subject, actor, request }, { ...params, format: suffix })
      },
    }),
    operation({
      id: 'repository.snapshot',
      contract: 'x.repo_snapshot',
      method: 'GET',
      path: '/projects/:id/snapshot',
      tag,
      summary: 'Download the bare repository itself as a tar archive',
      subject: project,
      allow: 'administer',
      scopes: reading,
      params: { wiki: t.boolean({ description: "Whether the wiki's repository is meant." }) },
      result: [200, raw],
      run: ({ subject, actor, request, params }) =>
        archives.snapshot({ project: subject, actor, request }, { wiki: params.wiki ?? false }),
    }),
  ]
}
