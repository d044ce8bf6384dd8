import { pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { Entry, listTree, treeFilter } from './trees.ts'

export const repositoryTree = operation({
  id: 'repository.tree',
  contract: 'x.repo_tree',
  method: 'GET',
  path: '/projects/:id/repository/tree',
  tag: 'Repositories',
  summary: 'List the files and directories of a repository',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  params: treeFilter,
  list: { pageToken: true },
  result: [200, pageOf(Entry)],
  run: ({ platform, subject, params, page, request }) => listTree(platform, subject, params, page, request.signal),
})
