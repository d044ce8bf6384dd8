import { instance, nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { createAlias, getAlias, listAliases, ProjectAlias, removeAlias } from './aliases.ts'

const shared = { tag: 'Project aliases', subject: instance, allow: 'administrator', tier: 'premium' } as const
const list = '/project_aliases'
const one = `${list}/:name` as const

export const projectAliasesList = operation({
  ...shared,
  id: 'project_aliases.list',
  contract: 'x.project_alias_list',
  method: 'GET',
  path: list,
  summary: 'List the project aliases',
  scopes: reading,
  result: [200, pageOf(ProjectAlias)],
  run: ({ platform, page }) => listAliases(platform, page),
})

export const projectAliasesGet = operation({
  ...shared,
  id: 'project_aliases.get',
  contract: 'x.project_alias_get',
  method: 'GET',
  path: one,
  summary: 'Get a project alias',
  scopes: reading,
  result: [200, ProjectAlias],
  run: ({ platform, params }) => getAlias(platform, params.name),
})

export const projectAliasesCreate = operation({
  ...shared,
  id: 'project_aliases.create',
  contract: 'x.project_alias_create',
  method: 'POST',
  path: list,
  summary: 'Create a project alias',
  description: 'Git finds the project over SSH by `<alias>.git`.',
  scopes: writing,
  params: {
    project_id: t.required(t.string({ description: 'Id or path of the project.' })),
    name: t.required(t.string({ description: 'Formed as the path of a project. Unique.' })),
  },
  result: [201, ProjectAlias],
  run: ({ platform, actor, params, act }) => createAlias(platform, actor, params, act),
})

export const projectAliasesDelete = operation({
  ...shared,
  id: 'project_aliases.delete',
  contract: 'x.project_alias_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a project alias',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) => removeAlias(platform, params.name, { unmodified, act }),
})
