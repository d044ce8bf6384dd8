import { nothing, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { deleteKeyed, type KeyedKind, setKeyed } from './keyed.ts'
import { hookPath, keyValue } from './params.ts'

/** What the contract calls the two kinds, and where they are. */
const kinds = [
  { kind: 'url_variable', name: 'var', path: 'url_variables', words: 'a variable of the URL' },
  { kind: 'custom_header', name: 'header', path: 'custom_headers', words: 'a header' },
] as const satisfies { kind: KeyedKind; name: string; path: string; words: string }[]

/** Variables and headers of hooks by their keys (contract 21, x.project_hooks_var_…, x.project_hooks_header_…). */
export const keyedOperations = kinds.flatMap(({ kind, name, path, words }) => {
  const shared = { tag: 'Webhooks', subject: project, allow: 'admin_hooks', scopes: writing } as const
  const one = `/projects/:id/hooks/:hook_id/${path}/:key` as const
  return [
    operation({
      ...shared,
      id: `project_hooks.set_${kind}`,
      contract: `x.project_hooks_${name}_set`,
      method: 'PUT',
      path: one,
      summary: `Set ${words} of a webhook`,
      params: { ...hookPath, ...keyValue },
      result: [204, nothing],
      run: ({ platform, subject, params: { hook_id, key, value }, act }) =>
        setKeyed(platform, { kind: 'project', id: subject.id }, hook_id, { kind, key, value }, act),
    }),
    operation({
      ...shared,
      id: `project_hooks.delete_${kind}`,
      contract: `x.project_hooks_${name}_delete`,
      method: 'DELETE',
      path: one,
      summary: `Delete ${words} of a webhook`,
      params: hookPath,
      result: [204, nothing],
      run: ({ platform, subject, params: { hook_id, key }, act }) =>
        deleteKeyed(platform, { kind: 'project', id: subject.id }, hook_id, { kind, key }, act),
    }),
  ]
})
