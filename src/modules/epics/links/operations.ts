import { pageOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { awardedEpic } from '../core/access.ts'
import { pathsBelowEpic } from '../core/params.ts'
import {
  linkTypes,
  listLinks,
  listRelated,
  RelatedEpic,
  RelatedEpicLink,
  relateEpics,
  removeRelation,
} from './links.ts'

const shared = { tier: 'ultimate', tag: 'Epics', deprecated: true } as const
const reads = { ...shared, method: 'GET', allow: 'read_epics', scopes: reading } as const
const writes = { ...shared, subject: awardedEpic, allow: 'assign_epic_issues', scopes: writing } as const

export const epicLinksAll = operation({
  ...reads,
  id: 'epic_links.all',
  contract: 'x.epic_related_all',
  path: '/groups/:id/related_epic_links',
  otherPaths: ['/groups/:id/-/related_epic_links'],
  summary: 'List the relations of the epics of a group and of the groups below it',
  description: 'Those of which the caller can read both epics.',
  subject: group,
  params: {
    created_after: t.datetime(),
    created_before: t.datetime(),
    updated_after: t.datetime(),
    updated_before: t.datetime(),
  },
  result: [200, pageOf(RelatedEpicLink)],
  run: ({ platform, subject, actor, params, page }) => listLinks(platform, subject, actor, params, page),
})

export const epicLinksList = operation({
  ...reads,
  ...pathsBelowEpic('related_epics'),
  id: 'epic_links.list',
  contract: 'x.epic_related_list',
  summary: 'List the epics that are related to an epic',
  subject: awardedEpic,
  result: [200, Type.Array(RelatedEpic)],
  run: ({ platform, subject, actor }) => listRelated(platform, subject, actor),
})

export const epicLinksCreate = operation({
  ...writes,
  ...pathsBelowEpic('related_epics'),
  id: 'epic_links.create',
  contract: 'x.epic_related_create',
  method: 'POST',
  summary: 'Relate an epic to another one',
  description: 'The other one may be of any group in which the caller has a role.',
  params: {
    target_group_id: t.required(t.string({ description: 'Id or path of the group.' })),
    target_epic_iid: t.required(t.integer()),
    link_type: t.oneOf(linkTypes),
  },
  result: [201, RelatedEpicLink],
  run: ({ platform, subject, actor, params }) => relateEpics(platform, subject, actor, params),
})

export const epicLinksDelete = operation({
  ...writes,
  ...pathsBelowEpic('related_epics/:related_epic_link_id'),
  id: 'epic_links.delete',
  contract: 'x.epic_related_delete',
  method: 'DELETE',
  summary: 'Remove the relation of two epics',
  params: { related_epic_link_id: t.id() },
  result: [200, RelatedEpicLink],
  run: ({ platform, subject, actor, params }) => removeRelation(platform, subject, actor, params.related_epic_link_id),
})
