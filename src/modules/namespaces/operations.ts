import { forms, instance, pageOf, reading, Type, t } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { getNamespace, listNamespaces, namespaceExists } from './namespaces.ts'
import { namespaceFilter } from './params.ts'
import { Namespace } from './present.ts'

const shared = { method: 'GET', tag: 'Namespaces', subject: instance, allow: 'authenticated', scopes: reading } as const

const Existence = Type.Object({ exists: Type.Boolean(), suggests: forms.strings }, { title: 'NamespaceExistence' })

export const namespacesList = operation({
  ...shared,
  id: 'namespaces.list',
  contract: 'x.namespaces_list',
  path: '/namespaces',
  summary: 'List the namespaces of the caller',
  description: 'The personal namespace first, then groups by id. Administrators see all namespaces.',
  params: namespaceFilter,
  result: [200, pageOf(Namespace)],
  run: ({ platform, actor, params, page }) => listNamespaces(platform, actor, params, page),
})

export const namespacesGet = operation({
  ...shared,
  id: 'namespaces.get',
  contract: 'x.namespaces_get',
  path: '/namespaces/:id',
  summary: 'Get a namespace by its id or path',
  params: { id: t.required(t.string()) },
  result: [200, Namespace],
  run: ({ platform, actor, params }) => getNamespace(platform, actor, params.id),
})

export const namespacesExists = operation({
  ...shared,
  id: 'namespaces.exists',
  contract: 'x.namespaces_exists',
  path: '/namespaces/:path/exists',
  summary: 'Check whether a path is taken',
  params: { parent_id: t.integer({ description: 'The namespace in which the path would lie' }) },
  result: [200, Existence],
  run: ({ platform, actor, params }) => namespaceExists(platform, actor, params.path, params.parent_id),
})
