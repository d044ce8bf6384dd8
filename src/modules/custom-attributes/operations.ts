import { nothing, type Operation, type ParamSet, type Scopes, Type, t, writing } from '../../api/index.ts'
import { operation, type Platform, type Subject } from '../../platform/index.ts'
import { getAttribute, listAttributes, putAttribute, removeAttribute } from './custom-attributes.ts'
import type { OwnerKind } from './store.ts'

/** A custom attribute (contract 20). */
const CustomAttribute = Type.Object({ key: Type.String(), value: Type.String() }, { title: 'CustomAttribute' })

/** How one kind of owners is found by the operations on custom attributes. */
type Declaration<S, A extends string> = {
  kind: OwnerKind
  /** `/users/:id` */
  path: string
  subject: Subject<S, A>
  /** The ability of administrators. */
  allow: NoInfer<A>
  /** Scopes of reads. */
  scopes: Scopes
  /** Parameters of the path, besides the key. */
  params?: ParamSet
  /** @throws ApiError 404 */
  idOf(platform: Platform, subject: S, params: Record<string, unknown>): Promise<number> | number
}

/**
 * The operations on custom attributes of users, groups or projects. The modules of these mount them, since the attributes lie
 * below: their lists filter by them.
 */
export function customAttributeOperations<S, A extends string>(declaration: Declaration<S, A>): readonly Operation[] {
  const { kind, path, subject, allow, scopes, params = {}, idOf } = declaration
  const shared = { tag: 'Custom attributes', subject, allow, scopes }
  const key = { key: t.required(t.string()) }
  const collection = `${path}/custom_attributes`
  type Asked = { platform: Platform; subject: S; params: unknown }
  const ownerOf = async ({ platform, subject: found, params: given }: Asked) => {
    return { kind, id: await idOf(platform, found, given as Record<string, unknown>) }
  }
  return [
    operation({
      ...shared,
      id: `${kind}_custom_attributes.list`,
      contract: `x.${kind}s_custom_attrs_list`,
      method: 'GET',
      path: collection,
      summary: `List the custom attributes of a ${kind}`,
      params,
      result: [200, Type.Array(CustomAttribute)],
      run: async (asked) => listAttributes(asked.platform, await ownerOf(asked)),
    }),
    operation({
      ...shared,
      id: `${kind}_custom_attributes.get`,
      contract: `x.${kind}s_custom_attrs_get`,
      method: 'GET',
      path: `${collection}/:key`,
      summary: `Get a custom attribute of a ${kind}`,
      params: { ...params, ...key },
      result: [200, CustomAttribute],
      run: async (asked) => getAttribute(asked.platform, await ownerOf(asked), String(asked.params.key)),
    }),
    operation({
      ...shared,
      id: `${kind}_custom_attributes.put`,
      contract: `x.${kind}s_custom_attrs_put`,
      method: 'PUT',
      path: `${collection}/:key`,
      summary: `Create or replace a custom attribute of a ${kind}`,
      scopes: writing,
      params: { ...params, ...key, value: t.required(t.string()) },
      result: [200, CustomAttribute],
      run: async (asked) => {
        const attribute = { key: String(asked.params.key), value: String(asked.params.value) }
        return putAttribute(asked.platform, await ownerOf(asked), attribute, asked.actor)
      },
    }),
    operation({
      ...shared,
      id: `${kind}_custom_attributes.delete`,
      contract: `x.${kind}s_custom_attrs_delete`,
      method: 'DELETE',
      path: `${collection}/:key`,
      summary: `Remove a custom attribute of a ${kind}`,
      scopes: writing,
      params: { ...params, ...key },
      result: [204, nothing],
      run: async (asked) => removeAttribute(asked.platform, await ownerOf(asked), String(asked.params.key), asked),
    }),
  ]
}
