import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import {
  createProtectedTag,
  deleteProtectedTag,
  getProtectedTag,
  listProtectedTags,
  newProtectedTag,
  ProtectedTag,
} from './protected-tags.ts'

const shared = { tag: 'Protected tags', subject: project } as const
const read = { ...shared, allow: 'read_protected_tags', scopes: reading } as const
const write = { ...shared, allow: 'admin_protected_tags', scopes: writing } as const

export const protectedTagsList = operation({
  id: 'protected_tags.list',
  contract: 'x.protected_tag_list',
  method: 'GET',
  path: '/projects/:id/protected_tags',
  summary: 'List the rules that protect tags',
  ...read,
  result: [200, pageOf(ProtectedTag)],
  run: ({ platform, subject, page }) => listProtectedTags(platform, subject, page),
})

export const protectedTagsGet = operation({
  id: 'protected_tags.get',
  contract: 'x.protected_tag_get',
  method: 'GET',
  path: '/projects/:id/protected_tags/:name',
  summary: 'Get a rule that protects tags',
  ...read,
  result: [200, ProtectedTag],
  run: ({ platform, subject, params }) => getProtectedTag(platform, subject, params.name),
})

export const protectedTagsCreate = operation({
  id: 'protected_tags.create',
  contract: 'x.protected_tag_create',
  method: 'POST',
  path: '/projects/:id/protected_tags',
  summary: 'Protect a tag, or several by a wildcard',
  ...write,
  params: newProtectedTag,
  result: [201, ProtectedTag],
  run: ({ platform, subject, params, act }) => createProtectedTag(platform, subject, params, act),
})

export const protectedTagsDelete = operation({
  id: 'protected_tags.delete',
  contract: 'x.protected_tag_delete',
  method: 'DELETE',
  path: '/projects/:id/protected_tags/:name',
  summary: 'Remove a rule that protects tags',
  ...write,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteProtectedTag(platform, subject, params.name, { unmodified, act }),
})
