import { forms, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../core/access.ts'
import { recomputeSize, startHousekeeping, storageOf } from './maintenance.ts'

const ProjectStorage = Type.Object(
  {
    project_id: forms.id,
    disk_path: Type.String(),
    repository_storage: Type.String(),
    created_at: forms.timestamp,
  },
  { title: 'ProjectStorage' },
)

const tag = 'Projects'
const maintain = {
  method: 'POST',
  tag,
  subject: project,
  allow: 'admin_project',
  scopes: writing,
  result: [201, forms.accepted],
} as const

const created = { message: '201 Created' }

export const projectsStorage = operation({
  id: 'projects.storage',
  contract: 'x.projects_storage',
  method: 'GET',
  path: '/projects/:id/storage',
  tag,
  summary: 'Get the storage of a project',
  subject: project,
  allow: 'administer',
  scopes: reading,
  result: [200, ProjectStorage],
  run: ({ platform, subject }) => storageOf(platform, subject),
})

export const projectsRepositorySize = operation({
  ...maintain,
  id: 'projects.repository_size',
  contract: 'x.projects_size',
  path: '/projects/:id/repository_size',
  summary: 'Recompute the size of the repository of a project',
  async run({ platform, subject }) {
    await recomputeSize(platform, subject)
    return created
  },
})

export const projectsHousekeeping = operation({
  ...maintain,
  id: 'projects.housekeeping',
  contract: 'x.projects_housekeeping',
  path: '/projects/:id/housekeeping',
  summary: 'Pack the repository of a project',
  params: {
    task: t.oneOf(['eager', 'prune'], { description: 'Both do all there is to do' }),
  },
  async run({ platform, subject }) {
    await startHousekeeping(platform, subject)
    return created
  },
})
