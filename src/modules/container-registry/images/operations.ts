import { instance, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { repositoryId, tagWalk, withDetails, withTags, withTagsAndSize } from './params.ts'
import { ContainerRepository, ListedTag, TagDetail } from './present.ts'
import { getRepository, listGroupRepositories, listRepositories } from './repositories.ts'
import { registryGroup, registryProject } from './subjects.ts'
import { deleteTag, getTag, listTags } from './tags.ts'

const shared = { tag: 'Container registry', jobToken: true } as const
const read = { ...shared, subject: registryProject, allow: 'read_container_images', scopes: reading } as const

export const projectRegistryList = operation({
  id: 'project_registry.list',
  contract: '1.1',
  method: 'GET',
  path: '/projects/:id/registry/repositories',
  summary: 'List the container repositories of a project',
  ...read,
  params: withTags,
  result: [200, pageOf(ContainerRepository)],
  run: ({ platform, subject, params, page }) => listRepositories(platform, subject, params, page),
})

export const groupRegistryList = operation({
  id: 'group_registry.list',
  contract: '1.2',
  method: 'GET',
  path: '/groups/:id/registry/repositories',
  tag: 'Container registry',
  summary: 'List the container repositories of a group and its subgroups',
  subject: registryGroup,
  allow: 'read_container_images',
  scopes: reading,
  result: [200, pageOf(ContainerRepository)],
  run: ({ platform, subject, page }) => listGroupRepositories(platform, subject, page),
})

export const registryGet = operation({
  id: 'registry.get',
  contract: '1.3',
  method: 'GET',
  path: '/registry/repositories/:id',
  summary: 'Get a container repository',
  ...shared,
  subject: instance,
  allow: 'authenticated',
  scopes: reading,
  params: { ...withTagsAndSize, id: t.id({ otherwise: 'no record' }) },
  result: [200, ContainerRepository],
  run: ({ platform, actor, params: { id, ...extras } }) => getRepository(platform, actor, id, extras),
})

export const projectRegistryTags = operation({
  id: 'project_registry.list_tags',
  contract: '1.5',
  method: 'GET',
  path: '/projects/:id/registry/repositories/:repository_id/tags',
  summary: 'List the tags of a container repository',
  ...read,
  params: { ...repositoryId, ...tagWalk },
  list: { lastName: true },
  result: [200, pageOf(ListedTag)],
  run: ({ platform, subject, params, page }) => listTags(platform, subject, params, page),
})

export const projectRegistryTag = operation({
  id: 'project_registry.get_tag',
  contract: '1.6',
  method: 'GET',
  path: '/projects/:id/registry/repositories/:repository_id/tags/:tag_name',
  summary: 'Get a tag of a container repository',
  ...read,
  params: { ...repositoryId, ...withDetails },
  result: [200, TagDetail],
  run: ({ platform, subject, params }) => getTag(platform, subject, params),
})

export const projectRegistryDeleteTag = operation({
  id: 'project_registry.delete_tag',
  contract: '1.7',
  method: 'DELETE',
  path: '/projects/:id/registry/repositories/:repository_id/tags/:tag_name',
  summary: 'Delete a tag of a container repository',
  ...shared,
  subject: registryProject,
  allow: 'delete_container_tags',
  scopes: writing,
  params: repositoryId,
  result: [204, nothing],
  run: ({ platform, subject, actor, params }) => deleteTag(platform, subject, actor, params),
})
