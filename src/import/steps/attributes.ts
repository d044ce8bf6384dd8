/** Custom attributes of groups, projects and users, which only administrators read and write. */
import { NotBrought } from '../clients/errors.ts'
import { type Item, itemsOf, numberOf, requireText, textOf } from '../clients/values.ts'
import { attempt, bringEach, type ImportContext, type Place } from './context.ts'

const what = 'custom attribute'

/** Of addresses, such parts are removed. */
const isDots = (key: string) => /^\.{1,2}$/.test(key)

/** Brings an attribute once. One that is here already keeps its value. */
async function bringAttribute({ target, state }: ImportContext, { from, to }: Pick<Place, 'from' | 'to'>, item: Item) {
  const [key, value] = [requireText(item, 'key'), textOf(item, 'value')]
  if (value === undefined) throw new NotBrought('the source sends no value')
  if (isDots(key)) throw new NotBrought('its key cannot stand in an address')
  const at = `${to}/custom_attributes/${encodeURIComponent(key)}`
  await state.once(`custom_attribute ${from} ${key}`, {
    find: async () => null,
    make: async () => {
      const found = await target.find(at)
      if (found === null) await target.write('PUT', at, { value })
      else if (textOf(found, 'value') !== value)
        throw new NotBrought('it has another value here, which was not changed')
      return key
    },
  })
}

/** The attributes of a group or project. */
export async function bringAttributes(context: ImportContext, place: Place): Promise<void> {
  if (!context.seesAll) return
  const options = { list: 'custom_attributes', what, nameOf: (item: Item) => textOf(item, 'key') }
  await bringEach(context, place, options, (item) => bringAttribute(context, place, item))
}

/**
 * The attributes of users with an account here.
 * @param isWanted of users of the source, by id
 */
export async function bringAttributesOfUsers(context: ImportContext, isWanted: (id: number) => boolean): Promise<void> {
  const report = { key: 'custom_attributes', place: 'all groups, projects and users', what: 'custom attributes' }
  const isReadable = await attempt(context, report, async () => {
    if (context.seesAll) return true
    throw new NotBrought('only administrators read them, and the token of the source is none of an administrator')
  })
  if (!isReadable) return
  const users: Place = { kind: 'projects', path: 'users', sourceId: 0, targetId: 0, from: '', to: '' }
  const options = {
    list: 'users?with_custom_attributes=true',
    what: 'user',
    nameOf: (item: Item) => textOf(item, 'username'),
  }
  await bringEach(context, users, options, async (user) => {
    const [id, attributes] = [numberOf(user, 'id'), itemsOf(user, 'custom_attributes')]
    if (id === undefined || attributes.length === 0 || !isWanted(id)) return
    const person = await context.people.of(user)
    if (!person) throw new NotBrought('custom attributes: no account here has the e-mail address')
    for (const item of attributes) {
      const name = `${what} ${textOf(item, 'key') ?? '?'} of ${textOf(user, 'username') ?? id}`
      await attempt(context, { key: `item ${name}`, place: 'users', what: name }, () =>
        bringAttribute(context, { from: `/users/${id}`, to: `/users/${person.id}` }, item),
      )
    }
  })
}
