import { forms, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { TagDetail } from '../images/present.ts'
import { registryProject } from '../images/subjects.ts'
import { deleteTags } from './bulk.ts'
import { bulkDeletion } from './params.ts'
import { previewDeletion } from './preview.ts'

export const projectRegistryDeleteTags = operation({
  id: 'project_registry.delete_tags',
  contract: '1.8',
  method: 'DELETE',
  path: '/projects/:id/registry/repositories/:repository_id/tags',
  tag: 'Container registry',
  summary: 'Delete tags of a container repository in bulk',
  subject: registryProject,
  allow: 'delete_container_images',
  scopes: writing,
  jobToken: true,
  params: bulkDeletion,
  atLeastOne: ['name_regex', 'name_regex_delete'],
  result: [202, forms.accepted],
  run({ platform, subject, actor, params, setHeader }) {
    if (params.name_regex !== undefined) setHeader('Deprecation', 'true')
    return deleteTags(platform, subject, actor, params)
  },
})

export const projectRegistryPreviewDeletion = operation({
  id: 'project_registry.preview_deletion',
  contract: 'x.registry_deletion_preview',
  method: 'GET',
  path: '/projects/:id/registry/repositories/:repository_id/deletable_tags',
  tag: 'Container registry',
  summary: 'List the tags that a bulk deletion would delete now',
  subject: registryProject,
  allow: 'delete_container_images',
  scopes: reading,
  jobToken: true,
  params: bulkDeletion,
  atLeastOne: ['name_regex', 'name_regex_delete'],
  result: [200, pageOf(TagDetail)],
  run: ({ platform, subject, actor, params, page, request }) =>
    previewDeletion(platform, subject, actor, params, { page, signal: request.signal }),
})
