import { type Actor, notFound, refuse, textProblems } from '../../api/index.ts'
import { claim, now } from '../../infra/database/index.ts'
import { type Platform, recordAct } from '../../platform/index.ts'
import * as store from './store.ts'

export const longestKey = 255
/** In characters: that of descriptions (contract 00, "Limits"). */
export const longestValue = 1_048_576

const present = ({ key, value }: store.Attribute): store.Attribute => ({ key, value })

/** The custom attributes of an owner (contract 20, x.users_custom_attrs_list). */
export async function listAttributes({ database }: Platform, owner: store.Owner): Promise<store.Attribute[]> {
  return (await store.attributesOf(database.read, owner)).map(present)
}

/** @throws ApiError 404 (contract 20, x.users_custom_attrs_get) */
export async function getAttribute({ database }: Platform, owner: store.Owner, key: string): Promise<store.Attribute> {
  const row = await store.attributeOf(database.read, owner, key)
  if (!row) throw notFound()
  return present(row)
}

/** Creates or replaces an attribute (contract 20, x.users_custom_attrs_put). @throws ApiError 400 */
export async function putAttribute(platform: Platform, owner: store.Owner, attribute: store.Attribute, actor: Actor) {
  const { key, value } = attribute
  refuse({ key: textProblems(key, longestKey), value: textProblems(value, longestValue) })
  await platform.database.write(async (tx) => {
    await store.putAttribute(tx, owner, attribute, now(platform.clock))
    const name = `${owner.kind}_custom_attributes.put`
    await recordAct(platform, tx, actor, { name, target: owner, changed: { [key]: value } })
  })
  return present(attribute)
}

/** @throws ApiError 404 or 412 (contract 20, x.users_custom_attrs_delete) */
export async function removeAttribute(
  platform: Platform,
  owner: store.Owner,
  key: string,
  { unmodified, actor }: { unmodified: (at: string) => void; actor: Actor },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'custom_attributes', () => store.attributeOf(tx, owner, key))
    if (!row) throw notFound()
    unmodified(row.updated_at)
    await store.deleteAttribute(tx, owner, key)
    const name = `${owner.kind}_custom_attributes.delete`
    await recordAct(platform, tx, actor, { name, target: owner, changed: { [key]: true } })
  })
}
