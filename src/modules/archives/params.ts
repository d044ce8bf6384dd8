import { type ParamValues, t } from '../../api/index.ts'

/** Parameters of x.repo_archive besides the format. */
export const archiveParams = {
  sha: t.string({ description: 'Branch, tag or commit; default the default branch.' }),
  path: t.string({ description: 'Directory to which the archive is limited.' }),
  exclude_paths: t.array(t.string(), {
    commaSeparated: true,
    maximum: 100,
    description: 'Paths to leave out, separated by commas.',
  }),
}
export type ArchiveParams = ParamValues<typeof archiveParams>
