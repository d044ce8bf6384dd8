import { instance, nothing, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { deleteKeyed, type KeyedKind, setKeyed } from './keyed.ts'
import { hookOwnerOf, instanceHooks } from './owner.ts'
import { hookPath, keyValue } from './params.ts'

/** What the contract calls the two kinds, and where they are. */
const kinds = [
  { kind: 'url_variable', name: 'var', path: 'url_variables', words: 'a variable of the URL' },
  { kind: 'custom_header', name: 'header', path: 'custom_headers', words: 'a header' },
] as const satisfies { kind: KeyedKind; name: string; path: string; words: string }[]

/** Variables and headers of hooks by their keys (contract 21, x.project_hooks_var_…, x.project_hooks_header_…; contract 26.18). */
const ofPlaces = kinds.flatMap(({ kind, name, path: below, words }) =>
  atProjectAndGroup(({ kind: at, path, subject }) => {
    const shared = { tag: 'Webhooks', subject, allow: 'admin_hooks', scopes: writing } as const
    const one = `${path}/hooks/:hook_id/${below}/:key` as const
    return [
      operation({
        ...shared,
        id: `${at}_hooks.set_${kind}`,
        contract: `x.${at}_hooks_${name}_set`,
        method: 'PUT',
        path: one,
        summary: `Set ${words} of a webhook of a ${at}`,
        params: { ...hookPath, ...keyValue },
        result: [204, nothing],
        run: ({ platform, subject: owner, params: { hook_id, key, value }, act }) =>
          setKeyed(platform, hookOwnerOf(owner), hook_id, { kind, key, value }, act),
      }),
      operation({
        ...shared,
        id: `${at}_hooks.delete_${kind}`,
        contract: `x.${at}_hooks_${name}_delete`,
        method: 'DELETE',
        path: one,
        summary: `Delete ${words} of a webhook of a ${at}`,
        params: hookPath,
        result: [204, nothing],
        run: ({ platform, subject: owner, params: { hook_id, key }, act }) =>
          deleteKeyed(platform, hookOwnerOf(owner), hook_id, { kind, key }, act),
      }),
    ]
  }),
)

const ofInstance = { tag: 'System hooks', subject: instance, allow: 'administrator', scopes: writing } as const
const variable = { kind: 'url_variable', path: '/hooks/:hook_id/url_variables/:key' } as const

/** Variables of hooks of the instance (contract 26.18, x.system_hooks_var_…). */
const variablesOfInstance = [
  operation({
    ...ofInstance,
    id: 'system_hooks.set_url_variable',
    contract: 'x.system_hooks_var_set',
    method: 'PUT',
    path: variable.path,
    summary: 'Set a variable of the URL of a webhook of the instance',
    params: { ...hookPath, ...keyValue },
    result: [204, nothing],
    run: ({ platform, params: { hook_id, key, value }, act }) =>
      setKeyed(platform, instanceHooks, hook_id, { kind: variable.kind, key, value }, act),
  }),
  operation({
    ...ofInstance,
    id: 'system_hooks.delete_url_variable',
    contract: 'x.system_hooks_var_delete',
    method: 'DELETE',
    path: variable.path,
    summary: 'Delete a variable of the URL of a webhook of the instance',
    params: hookPath,
    result: [204, nothing],
    run: ({ platform, params: { hook_id, key }, act }) =>
      deleteKeyed(platform, instanceHooks, hook_id, { kind: variable.kind, key }, act),
  }),
]

export const keyedOperations = [...ofPlaces, ...variablesOfInstance]
