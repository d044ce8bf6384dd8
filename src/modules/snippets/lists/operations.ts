import { instance, pageOf, reading, requireSignedIn, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { SnippetSummary } from '../core/present.ts'
import * as lists from './lists.ts'

const shared = { method: 'GET', tag: 'Snippets', scopes: reading, result: [200, pageOf(SnippetSummary)] } as const
const onInstance = { ...shared, subject: instance, allow: 'authenticated' } as const

const createdBetween = {
  created_after: t.datetime({ description: 'Created at this time or later.' }),
  created_before: t.datetime({ description: 'Created at this time or earlier.' }),
}

export const snippetsListOwn = operation({
  ...onInstance,
  id: 'snippets.list',
  contract: '3.9',
  path: '/snippets',
  summary: "List the caller's snippets",
  params: createdBetween,
  run: ({ platform, actor, params, page }) => lists.listOwn(platform, requireSignedIn(actor), params, page),
})

export const snippetsListPublic = operation({
  ...onInstance,
  id: 'snippets.list_public',
  contract: '3.10',
  path: '/snippets/public',
  summary: 'List the public personal snippets of all users',
  params: createdBetween,
  run: ({ platform, params, page }) => lists.listPublic(platform, params, page),
})

export const snippetsListAll = operation({
  ...onInstance,
  id: 'snippets.list_all',
  contract: 'x.snippets_all',
  path: '/snippets/all',
  summary: 'List all snippets that the caller may read',
  params: {
    ...createdBetween,
    repository_storage: t.string({ description: 'Name of a storage; ignored except for administrators.' }),
  },
  run: ({ platform, actor, params, page }) => lists.listAll(platform, requireSignedIn(actor), params, page),
})

export const projectSnippetsList = operation({
  ...shared,
  id: 'project_snippets.list',
  contract: 'x.project_snippet_list',
  path: '/projects/:id/snippets',
  summary: 'List the snippets of a project',
  subject: project,
  allow: 'list_snippets',
  run: ({ platform, subject, actor, page }) => lists.listOfProject(platform, subject, actor, page),
})
