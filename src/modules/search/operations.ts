import { anything, instance, pageOf, reading, requireSignedIn } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import * as params from './params.ts'
import { search } from './search.ts'

const shared = {
  method: 'GET',
  tag: 'Search',
  scopes: reading,
  description: 'The objects are those of the lists of the scope.',
  result: [200, pageOf(anything)],
} as const

export const instanceSearch = operation({
  ...shared,
  id: 'search.instance',
  contract: 'x.search',
  path: '/search',
  summary: 'Search the instance',
  subject: instance,
  allow: 'authenticated',
  params: params.instanceSearch,
  run: ({ params: { scope, ...given }, actor, ...asked }) =>
    search(scope, { ...asked, actor: requireSignedIn(actor), params: given, place: {} }),
})

export const groupSearch = operation({
  ...shared,
  id: 'search.group',
  contract: 'x.group_search',
  path: '/groups/:id/search',
  otherPaths: ['/groups/:id/-/search'],
  summary: 'Search in a group',
  subject: group,
  allow: 'search',
  params: params.groupSearch,
  run: ({ params: { scope, ...given }, actor, subject, ...asked }) =>
    search(scope, { ...asked, actor: requireSignedIn(actor), params: given, place: { group: subject } }),
})

export const projectSearch = operation({
  ...shared,
  id: 'search.project',
  contract: 'x.project_search',
  path: '/projects/:id/search',
  otherPaths: ['/projects/:id/-/search'],
  summary: 'Search in a project',
  subject: project,
  allow: 'search',
  params: params.projectSearch,
  run: ({ params: { scope, ...given }, actor, subject, ...asked }) =>
    search(scope, { ...asked, actor: requireSignedIn(actor), params: given, place: { project: subject } }),
})
