import { forms, type Operation, operation, reading, Type, t, writing } from '../../../api/index.ts'
import type { ProjectSubject } from '../core/access.ts'
import type { Maintenance } from './maintenance.ts'

const tag = 'Projects'

export type MaintenanceOperationsNeeds = { project: ProjectSubject; maintenance: Maintenance }

const StoredProject = Type.Object(
  {
    project_id: forms.id,
    disk_path: Type.String(),
    repository_storage: Type.String(),
    created_at: forms.timestamp,
  },
  { title: 'ProjectStorage' },
)

const created = { message: '201 Created' }

/** Looking after the repositories of projects (contract 21). */
export function maintenanceOperations({ project, maintenance }: MaintenanceOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.storage',
      contract: 'x.projects_storage',
      method: 'GET',
      path: '/projects/:id/storage',
      tag,
      summary: 'Tell where a project is stored',
      subject: project,
      allow: 'administer',
      scopes: reading,
      result: [200, StoredProject],
      run: ({ subject }) => maintenance.storageOf(subject),
    }),
    operation({
      id: 'projects.repository_size',
      contract: 'x.projects_size',
      method: 'POST',
      path: '/projects/:id/repository_size',
      tag,
      summary: 'Measure the repository of a project anew',
      subject: project,
      allow: 'admin_project',
      scopes: writing,
      result: [201, forms.accepted],
      async run({ subject }) {
        await maintenance.recomputeSizes(subject)
        return created
      },
    }),
    operation({
      id: 'projects.housekeeping',
      contract: 'x.projects_housekeeping',
      method: 'POST',
      path: '/projects/:id/housekeeping',
      tag,
      summary: 'Pack the repository of a project',
      subject: project,
      allow: 'admin_project',
      scopes: writing,
      params: {
        task: t.oneOf(['eager', 'prune'], { description: 'Both do all there is to do' }),
      },
      result: [201, forms.accepted],
      async run({ subject }) {
        await maintenance.keepHouse(subject)
        return created
      },
    }),
  ]
}
