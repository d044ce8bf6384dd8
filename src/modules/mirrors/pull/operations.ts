import { anything, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { PullMirror } from '../present.ts'
import { getPullMirror, pullMirrorChanges, putPullMirror, startPullMirror } from './mirror.ts'

const shared = { tag: 'Pull mirrors', subject: project, path: '/projects/:id/mirror/pull' } as const
const read = { ...shared, allow: 'read_mirrors', scopes: reading } as const
const write = { ...shared, allow: 'admin_mirrors', scopes: writing } as const

export const pullMirrorGet = operation({
  id: 'pull_mirror.get',
  contract: 'x.pmirror_get',
  method: 'GET',
  summary: 'Get the pull mirror of a project',
  ...read,
  result: [200, PullMirror],
  run: ({ platform, subject }) => getPullMirror(platform, subject),
})

export const pullMirrorPut = operation({
  id: 'pull_mirror.put',
  contract: 'x.pmirror_put',
  method: 'PUT',
  summary: 'Create or change the pull mirror of a project',
  ...write,
  params: pullMirrorChanges,
  result: [200, PullMirror],
  run: ({ platform, subject, actor, params }) => putPullMirror(platform, subject, actor, params),
})

export const pullMirrorStart = operation({
  id: 'pull_mirror.start',
  contract: 'x.pmirror_start',
  method: 'POST',
  summary: 'Pull a project now',
  description: 'Answers with null.',
  ...write,
  result: [200, anything],
  async run({ platform, subject }) {
    await startPullMirror(platform, subject)
    return null
  },
})
