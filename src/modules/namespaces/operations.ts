import { forms, instance, type Operation, operation, pageOf, reading, Type, t } from '../../api/index.ts'
import type { Namespaces } from './namespaces.ts'
import { Namespace } from './present.ts'

const tag = 'Namespaces'

const Existence = Type.Object({ exists: Type.Boolean(), suggests: forms.strings }, { title: 'NamespaceExistence' })

/** Personal namespaces and groups alike (contract 21, "namespaces"). */
export function namespaceOperations({ namespaces }: { namespaces: Namespaces }): Operation[] {
  return [
    operation({
      id: 'namespaces.list',
      contract: 'x.namespaces_list',
      method: 'GET',
      path: '/namespaces',
      tag,
      summary: 'List the namespaces of the caller',
      description: 'The personal namespace first, then groups by id. Administrators see all namespaces.',
      subject: instance,
      allow: 'authenticated',
      scopes: reading,
      params: {
        search: t.string({ description: 'Part of the name or path' }),
        owned_only: t.boolean({ description: 'Only namespaces that the caller owns' }),
        top_level_only: t.boolean(),
        full_path_search: t.boolean({ description: 'Search in the full path instead' }),
      },
      result: [200, pageOf(Namespace)],
      run: ({ actor, params, page }) => namespaces.list(actor, params, page),
    }),
    operation({
      id: 'namespaces.get',
      contract: 'x.namespaces_get',
      method: 'GET',
      path: '/namespaces/:id',
      tag,
      summary: 'Get a namespace by its id or path',
      subject: instance,
      allow: 'authenticated',
      scopes: reading,
      result: [200, Namespace],
      run: ({ actor, request }) => namespaces.get(actor, request.path.id ?? ''),
    }),
    operation({
      id: 'namespaces.exists',
      contract: 'x.namespaces_exists',
      method: 'GET',
      path: '/namespaces/:path/exists',
      tag,
      summary: 'Ask whether a path is taken',
      subject: instance,
      allow: 'authenticated',
      scopes: reading,
      params: { parent_id: t.integer({ description: 'The namespace in which the path would lie' }) },
      result: [200, Existence],
      run: ({ actor, params, request }) => namespaces.exists(actor, request.path.path ?? '', params.parent_id),
    }),
  ]
}
