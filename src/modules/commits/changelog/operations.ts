import { nothing, type Operation, operation, parameterError, reading, Type, t, writing } from '../../../api/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import type { Changelog, ChangelogParams } from './changelog.ts'
import { parseVersion } from './version.ts'

const common = {
  version: t.required(t.string({ blank: false, maxLength: 255, description: 'As semantic versioning has it.' })),
  from: t.string({
    description: 'Revision behind which the range begins; the tag of the stable version before, unless given.',
  }),
  to: t.string({ description: 'Revision with which the range ends.' }),
  date: t.datetime({ description: 'When the version is released; now, unless given.' }),
  trailer: t.string({ description: 'Commits with this trailer count; default `Changelog`.' }),
  config_file: t.string({ description: 'Where the configuration is; default `.gitlab/changelog_config.yml`.' }),
  config_file_ref: t.string({ description: 'Revision from which the configuration is read.' }),
}

type Given = Omit<ChangelogParams, 'version'> & { version: string }

function paramsOf({ version, ...rest }: Given): ChangelogParams {
  const parsed = parseVersion(version)
  if (!parsed) throw parameterError('version', 'is invalid')
  return { ...rest, version: { text: version, parsed } }
}

/** The operations that make changelogs (contract 22, x.repo_changelog_get, x.repo_changelog_post). */
export function changelogOperations({
  changelog,
  project,
}: {
  changelog: Changelog
  project: ProjectSubject
}): Operation[] {
  const path = '/projects/:id/repository/changelog'
  const tag = 'Repository'
  return [
    operation({
      id: 'changelog.render',
      contract: 'x.repo_changelog_get',
      method: 'GET',
      path,
      tag,
      summary: 'Render the changelog of a version',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      params: common,
      result: [200, Type.Object({ notes: Type.String() }, { title: 'Changelog' })],
      async run({ subject, actor, params }) {
        return { notes: await changelog.render(subject, actor, paramsOf(params)) }
      },
    }),
    operation({
      id: 'changelog.commit',
      contract: 'x.repo_changelog_post',
      method: 'POST',
      path,
      tag,
      summary: 'Commit the changelog of a version',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: {
        ...common,
        branch: t.string({ description: 'Gets the commit; the default branch, unless given.' }),
        file: t.string({ description: 'Default `CHANGELOG.md`.' }),
        message: t.string({ description: 'Default `Add changelog for version` and the version.' }),
      },
      result: [200, nothing],
      async run({ subject, actor, params }) {
        await changelog.commit(subject, actor, paramsOf(params), params)
      },
    }),
  ]
}
