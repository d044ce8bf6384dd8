import { forms, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { repositoryId } from '../images/params.ts'
import { registryProject } from '../images/subjects.ts'
import { scheduleDeletion } from './deletion.ts'

export const projectRegistryDelete = operation({
  id: 'project_registry.delete',
  contract: '1.4',
  method: 'DELETE',
  path: '/projects/:id/registry/repositories/:repository_id',
  tag: 'Container registry',
  summary: 'Schedule the deletion of a container repository',
  subject: registryProject,
  allow: 'delete_container_images',
  scopes: writing,
  jobToken: true,
  params: repositoryId,
  result: [202, forms.accepted],
  run: ({ platform, subject, actor, params }) => scheduleDeletion(platform, subject, actor, params.repository_id),
})
