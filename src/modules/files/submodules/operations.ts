import { writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { CommitDetail } from '../../commits/index.ts'
import { project } from '../../projects/index.ts'
import { submoduleUpdate, updateSubmodule } from './submodules.ts'

export const submodulesUpdate = operation({
  id: 'submodules.update',
  contract: 'x.repo_submodule',
  method: 'PUT',
  path: '/projects/:id/repository/submodules/:submodule',
  tag: 'Repository files',
  summary: 'Point a submodule at another commit',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  params: submoduleUpdate,
  result: [200, CommitDetail],
  run: ({ platform, subject, actor, params }) => updateSubmodule(platform, subject, actor, params),
})
