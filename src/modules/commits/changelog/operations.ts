import { reading, statusNumber, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { commitChangelog, renderChangelog } from './changelog.ts'
import { changelogParams, newChangelog } from './params.ts'

const path = '/projects/:id/repository/changelog'
const tag = 'Repository'

export const changelogRender = operation({
  id: 'changelog.render',
  contract: 'x.repo_changelog_get',
  jobToken: true,
  method: 'GET',
  path,
  tag,
  summary: 'Render the changelog of a version',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  params: changelogParams,
  result: [200, Type.Object({ notes: Type.String() }, { title: 'Changelog' })],
  async run({ platform, subject, actor, params }) {
    return { notes: await renderChangelog(platform, subject, actor, params) }
  },
})

export const changelogCommit = operation({
  id: 'changelog.commit',
  contract: 'x.repo_changelog_post',
  method: 'POST',
  path,
  tag,
  summary: 'Commit the changelog of a version',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  params: newChangelog,
  result: [200, statusNumber],
  async run({ platform, subject, actor, params }) {
    await commitChangelog(platform, subject, actor, params)
    return 200
  },
})
