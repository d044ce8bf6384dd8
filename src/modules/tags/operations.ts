import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { newTag, tagFilter } from './params.ts'
import { Tag } from './present.ts'
import { getTagSignature, TagSignature } from './signature.ts'
import { createTag, deleteTag, getTag, listTags } from './tags.ts'

const path = '/projects/:id/repository/tags'
const reads = { method: 'GET', tag: 'Tags', subject: project, allow: 'read_code', scopes: reading } as const
const writes = { tag: 'Tags', subject: project, allow: 'push_code', scopes: writing } as const

export const tagsList = operation({
  ...reads,
  id: 'tags.list',
  contract: 'x.tags_list',
  jobToken: true,
  path,
  summary: 'List the tags of a repository',
  params: tagFilter,
  list: { pageToken: true },
  result: [200, pageOf(Tag)],
  run: ({ platform, subject, actor, params, page }) => listTags(platform, subject, actor, params, page),
})

export const tagsGet = operation({
  ...reads,
  id: 'tags.get',
  contract: 'x.tags_get',
  jobToken: true,
  path: `${path}/:tag_name`,
  summary: 'Get a tag',
  result: [200, Tag],
  run: ({ platform, subject, actor, params }) => getTag(platform, subject, actor, params.tag_name),
})

export const tagsCreate = operation({
  ...writes,
  id: 'tags.create',
  contract: 'x.tags_create',
  method: 'POST',
  path,
  summary: 'Create a tag at a branch, tag or commit',
  params: newTag,
  result: [201, Tag],
  run: ({ platform, subject, actor, params }) => createTag(platform, subject, actor, params),
})

export const tagsDelete = operation({
  ...writes,
  id: 'tags.delete',
  contract: 'x.tags_delete',
  method: 'DELETE',
  path: `${path}/:tag_name`,
  summary: 'Delete a tag and its release',
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteTag(platform, subject, actor, params.tag_name, unmodified),
})

export const tagsSignature = operation({
  ...reads,
  id: 'tags.signature',
  contract: 'x.tags_signature',
  path: `${path}/:tag_name/signature`,
  summary: 'Get the signature of a tag',
  result: [200, TagSignature],
  run: ({ platform, subject, params }) => getTagSignature(platform, subject, params.tag_name),
})
