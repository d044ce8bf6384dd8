import { forms, oneOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { issue } from '../core/access.ts'
import { IssueBasic, RelatedIssue } from '../present/schema.ts'
import { createLink, getLink, linkTypes, listLinks, newLink, removeLink } from './links.ts'

const tag = 'Issues'
const path = '/projects/:id/issues/:issue_iid/links'
const reads = { tag, subject: issue, allow: 'read_issue_activity', scopes: reading, method: 'GET' } as const
const writes = { tag, subject: issue, allow: 'take_part_in_issues', scopes: writing } as const

/** A link between two issues, seen from the issue of the request (contract 16). */
const IssueLink = Type.Object(
  {
    id: forms.id,
    source_issue: IssueBasic,
    target_issue: IssueBasic,
    link_type: oneOf(linkTypes),
  },
  { title: 'IssueLink' },
)

export const issueLinksList = operation({
  ...reads,
  id: 'issue_links.list',
  contract: 'x.issue_links',
  path,
  summary: 'List the issues that are linked to an issue',
  result: [200, Type.Array(RelatedIssue)],
  run: ({ platform, subject, actor }) => listLinks(platform, subject, actor),
})

export const issueLinksGet = operation({
  ...reads,
  id: 'issue_links.get',
  contract: 'x.issue_link_get',
  path: `${path}/:issue_link_id`,
  summary: 'Get a link of an issue',
  params: { issue_link_id: t.id() },
  result: [200, IssueLink],
  run: ({ platform, subject, actor, params }) => getLink(platform, subject, params.issue_link_id, actor),
})

export const issueLinksCreate = operation({
  ...writes,
  id: 'issue_links.create',
  contract: 'x.issue_link_create',
  method: 'POST',
  path,
  summary: 'Link an issue to another one',
  params: newLink,
  result: [201, IssueLink],
  run: ({ platform, subject, actor, params }) => createLink(platform, subject, actor, params),
})

export const issueLinksDelete = operation({
  ...writes,
  id: 'issue_links.delete',
  contract: 'x.issue_link_delete',
  method: 'DELETE',
  path: `${path}/:issue_link_id`,
  summary: 'Remove a link of an issue',
  params: { issue_link_id: t.id() },
  result: [200, IssueLink],
  run: ({ platform, subject, actor, params }) => removeLink(platform, subject, actor, params.issue_link_id),
})
