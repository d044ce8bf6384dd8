import { type ParamValues, t } from '../../../api/index.ts'

/** Parameters of x.repo_changelog_get. */
export const changelogParams = {
  version: t.required(t.string({ blank: false, maxLength: 255, description: 'A semantic version.' })),
  from: t.string({ description: 'Revision before the range; default the tag of the previous stable version.' }),
  to: t.string({ description: 'Last revision of the range.' }),
  date: t.datetime({ description: 'Date of the release; default now.' }),
  trailer: t.string({ description: 'Trailer of the commits to include; default `Changelog`.' }),
  config_file: t.string({ description: 'Path of the configuration; default `.gitlab/changelog_config.yml`.' }),
  config_file_ref: t.string({ description: 'Revision from which the configuration is read.' }),
}
export type ChangelogParams = ParamValues<typeof changelogParams>

/** Parameters of x.repo_changelog_post. */
export const newChangelog = {
  ...changelogParams,
  branch: t.string({ description: 'Branch of the commit; default the default branch.' }),
  file: t.string({ description: 'Default `CHANGELOG.md`.' }),
  message: t.string({ description: 'Default `Add changelog for version` and the version.' }),
}
export type NewChangelog = ParamValues<typeof newChangelog>
