import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { newTag, tagFilter } from './params.ts'
import { Tag } from './present.ts'
import { getTagSignature, TagSignature } from './signature.ts'
import { createTag, deleteTag, getTag, listTags } from './tags.ts'

const tag = 'Tags'

export const tagsList = operation({
  id: 'tags.list',
  contract: 'x.tags_list',
  method: 'GET',
  path: '/projects/:id/repository/tags',
  tag,
  summary: 'List the tags of a repository',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  params: tagFilter,
  list: { pageToken: true },
  result: [200, pageOf(Tag)],
  run: ({ platform, subject, actor, params, page }) => listTags(platform, subject, actor, params, page),
})

export const tagsGet = operation({
  id: 'tags.get',
  contract: 'x.tags_get',
  method: 'GET',
  path: '/projects/:id/repository/tags/:tag_name',
  tag,
  summary: 'Get a tag',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  result: [200, Tag],
  run: ({ platform, subject, actor, params }) => getTag(platform, subject, actor, params.tag_name),
})

export const tagsCreate = operation({
  id: 'tags.create',
  contract: 'x.tags_create',
  method: 'POST',
  path: '/projects/:id/repository/tags',
  tag,
  summary: 'Create a tag at a branch, tag or commit',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  params: newTag,
  result: [201, Tag],
  run: ({ platform, subject, actor, params }) => createTag(platform, subject, actor, params),
})

export const tagsDelete = operation({
  id: 'tags.delete',
  contract: 'x.tags_delete',
  method: 'DELETE',
  path: '/projects/:id/repository/tags/:tag_name',
  tag,
  summary: 'Delete a tag and its release',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteTag(platform, subject, actor, params.tag_name, unmodified),
})

export const tagsSignature = operation({
  id: 'tags.signature',
  contract: 'x.tags_signature',
  method: 'GET',
  path: '/projects/:id/repository/tags/:tag_name/signature',
  tag,
  summary: 'Get the signature of a tag',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  result: [200, TagSignature],
  run: ({ platform, subject, params }) => getTagSignature(platform, subject, params.tag_name),
})
