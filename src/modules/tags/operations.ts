import {
  nothing,
  type Operation,
  operation,
  pageOf,
  type RequestInfo,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import { tagOrders } from './listing.ts'
import { Tag } from './present.ts'
import { TagSignature } from './signature.ts'
import type { Tags } from './tags.ts'

const nameOf = (request: RequestInfo) => request.path.tag_name ?? ''

/** The tags of a repository (contract 22, x.tags_*). */
export function tagOperations({ tags, project }: { tags: Tags; project: ProjectSubject }): Operation[] {
  const shared = { tag: 'Tags', subject: project }
  const all = { ...shared, path: '/projects/:id/repository/tags' }
  const one = { ...shared, path: '/projects/:id/repository/tags/:tag_name' }
  return [
    operation({
      ...all,
      id: 'tags.list',
      contract: 'x.tags_list',
      method: 'GET',
      summary: 'List the tags of a repository',
      allow: 'read_code',
      scopes: reading,
      params: {
        order_by: t.oneOf(tagOrders, { description: 'Default `updated`: when the tag was made.' }),
        sort: t.oneOf(['asc', 'desc'], { description: 'Default `desc`.' }),
        search: t.string({ description: 'Part of the name; `^` and `$` anchor it, `*` stands for anything.' }),
      },
      list: { pageToken: true },
      result: [200, pageOf(Tag)],
      run: ({ subject, actor, params, page }) => tags.list(subject, actor, params, page),
    }),
    operation({
      ...one,
      id: 'tags.get',
      contract: 'x.tags_get',
      method: 'GET',
      summary: 'Get a tag',
      allow: 'read_code',
      scopes: reading,
      result: [200, Tag],
      run: ({ subject, actor, request }) => tags.get(subject, actor, nameOf(request)),
    }),
    operation({
      ...all,
      id: 'tags.create',
      contract: 'x.tags_create',
      method: 'POST',
      summary: 'Create a tag of a branch, tag or commit',
      allow: 'push_code',
      scopes: writing,
      params: {
        tag_name: t.required(t.string({ description: 'Name of the new tag.' })),
        ref: t.required(t.string({ description: 'Branch, tag or commit to be tagged.' })),
        message: t.string({ maxLength: 1_048_576, description: 'Makes an annotated tag with this message.' }),
      },
      result: [201, Tag],
      run: ({ subject, actor, params }) =>
        tags.create(subject, actor, { name: params.tag_name, ref: params.ref, message: params.message }),
    }),
    operation({
      ...one,
      id: 'tags.delete',
      contract: 'x.tags_delete',
      method: 'DELETE',
      summary: 'Delete a tag, and the release on it',
      allow: 'push_code',
      scopes: writing,
      result: [204, nothing],
      run: ({ subject, actor, request }) =>
        tags.remove(subject, actor, nameOf(request), (authoredAt) => requireUnmodified(request, authoredAt)),
    }),
    operation({
      ...shared,
      id: 'tags.signature',
      contract: 'x.tags_signature',
      method: 'GET',
      path: '/projects/:id/repository/tags/:tag_name/signature',
      summary: 'Get the signature of a tag',
      allow: 'read_code',
      scopes: reading,
      result: [200, TagSignature],
      run: ({ subject, request }) => tags.signature(subject, nameOf(request)),
    }),
  ]
}
