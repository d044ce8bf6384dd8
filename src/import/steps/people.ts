import { Refused } from '../clients/errors.ts'
import type { ApiServer } from '../clients/server.ts'
import { type Item, numberOf, textOf } from '../clients/values.ts'

/** An account of the target. */
export type Person = { id: number; username: string }

/** Of RFC 5321 (4.5.3.1): 64 octets, an at sign and 255 octets. */
const longestAddress = 320

const isAddress = (text: string | undefined): text is string =>
  text !== undefined && text.length <= longestAddress && /^\S+@\S+$/.test(text)

/**
 * The accounts of the target that belong to users of the source: those with the same e-mail address. What was found is kept; a request
 * that failed is repeated when the same user is asked for again.
 */
export class People {
  readonly #source: ApiServer
  readonly #target: ApiServer
  readonly #addresses = new Map<number, string | null>()
  readonly #people = new Map<number, Person | null>()

  constructor(source: ApiServer, target: ApiServer) {
    this.#source = source
    this.#target = target
  }

  /** The address of a user of the source; null where the source does not show it. */
  async addressOf(user: Item): Promise<string | null> {
    const id = numberOf(user, 'id')
    if (id === undefined) return null
    const known = this.#addresses.get(id)
    if (known !== undefined) return known
    const address = await this.#readAddress(id)
    this.#addresses.set(id, address)
    return address
  }

  async #readAddress(id: number): Promise<string | null> {
    const found = await this.#source.find(`/users/${id}`).catch((error) => {
      if (error instanceof Refused) return null
      throw error
    })
    const addresses = found ? [textOf(found, 'email'), textOf(found, 'public_email')] : []
    return addresses.find(isAddress)?.toLowerCase() ?? null
  }

  /** The account of a user of the source. */
  async of(user: Item): Promise<Person | null> {
    const id = numberOf(user, 'id')
    if (id === undefined) return null
    const known = this.#people.get(id)
    if (known !== undefined) return known
    const person = await this.#findAccount(user)
    this.#people.set(id, person)
    return person
  }

  async #findAccount(user: Item): Promise<Person | null> {
    const address = await this.addressOf(user)
    if (address === null) return null
    for await (const found of this.#target.list(`/users?search=${encodeURIComponent(address)}`)) {
      const [id, username] = [numberOf(found, 'id'), textOf(found, 'username')]
      if (id === undefined || username === undefined) continue
      if (textOf(found, 'email')?.toLowerCase() === address) return { id, username }
    }
    return null
  }

  /** Whether a user of the source was looked for. @param id at the source */
  isKnown(id: number): boolean {
    return this.#people.has(id)
  }

  /** The ids of the accounts of these users; those without one are left out. */
  async idsOf(users: readonly Item[]): Promise<number[]> {
    const found: number[] = []
    for (const user of users) {
      const person = await this.of(user)
      if (person) found.push(person.id)
    }
    return found
  }
}
