import { Refused } from '../clients/errors.ts'
import type { ApiServer } from '../clients/server.ts'
import { type Item, numberOf, textOf } from '../clients/values.ts'

/** An account of the target. */
export type Person = { id: number; username: string }

const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^\S+@\S+\.\S+$|^\S+@\S+$/.test(text)

/** The accounts of the target that belong to users of the source: those with the same e-mail address. */
export class People {
  readonly #source: ApiServer
  readonly #target: ApiServer
  readonly #addresses = new Map<number, Promise<string | null>>()
  readonly #people = new Map<number, Promise<Person | null>>()

  constructor(source: ApiServer, target: ApiServer) {
    this.#source = source
    this.#target = target
  }

  /** The address of a user of the source; null where the source does not show it. */
  addressOf(user: Item): Promise<string | null> {
    const id = numberOf(user, 'id')
    if (id === undefined) return Promise.resolve(null)
    const known = this.#addresses.get(id) ?? this.#readAddress(id)
    this.#addresses.set(id, known)
    return known
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
  of(user: Item): Promise<Person | null> {
    const id = numberOf(user, 'id')
    if (id === undefined) return Promise.resolve(null)
    const known = this.#people.get(id) ?? this.#findAccount(user)
    this.#people.set(id, known)
    return known
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
