import { type ParamValues, t } from '../../api/index.ts'

const projectScopes = [
  'issues',
  'merge_requests',
  'milestones',
  'users',
  'notes',
  'commits',
  'blobs',
  'wiki_blobs',
] as const
const groupScopes = ['projects', ...projectScopes] as const
const instanceScopes = [...groupScopes, 'snippet_titles'] as const
export type SearchScope = (typeof instanceScopes)[number]

const shared = {
  search: t.required(t.string({ description: 'Words that must all occur; at most 4096 characters and 64 words.' })),
  state: t.oneOf(['opened', 'closed', 'merged', 'all'], { description: 'Of issues and merge requests.' }),
  confidential: t.boolean({ description: 'Only confidential issues, or only others.' }),
  fields: t.array(t.oneOf(['title']), {
    maximum: 8,
    description: '`title`: only titles of issues and merge requests.',
  }),
  order_by: t.oneOf(['created_at']),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `desc`.' }),
  search_type: t.oneOf(['basic', 'advanced', 'zoekt'], { description: 'Accepted; all are alike.' }),
}

/** Parameters of x.search, x.group_search and x.project_search. */
export const instanceSearch = { scope: t.required(t.oneOf(instanceScopes)), ...shared }
export const groupSearch = { scope: t.required(t.oneOf(groupScopes)), ...shared }
export const projectSearch = {
  scope: t.required(t.oneOf(projectScopes)),
  ...shared,
  ref: t.string({
    description: 'Branch, tag or commit of `commits`, `blobs` and `wiki_blobs`; default the default branch.',
  }),
}

export type SearchParams = Omit<ParamValues<typeof projectSearch>, 'scope'>
