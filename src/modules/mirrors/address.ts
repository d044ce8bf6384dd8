import { readRemoteAddress, withoutLogin } from '../projects/index.ts'
import type { InstanceSettings } from '../settings/index.ts'

const schemes = ['http', 'https', 'ssh', 'git']
const stars = '*****'

/**
 * Reads the address of a mirror.
 * @returns the sentence that refuses it, or the address
 */
export function readAddress(text: string, settings: InstanceSettings): URL | string {
  return readRemoteAddress(text, schemes, settings)
}

/** An address as it is shown: with stars where the credentials are (contract 22, x.rmirror_create). */
export function shownAddress(address: URL): string {
  if (address.username === '' && address.password === '') return address.href
  const shown = new URL(address)
  shown.username = stars
  shown.password = stars
  return shown.href
}

/** The same address with other credentials; what is not given stays. */
export function withLogin(address: URL, user: string | undefined, password: string | undefined): URL {
  const changed = new URL(address)
  if (user !== undefined) changed.username = encodeURIComponent(user)
  if (password !== undefined) changed.password = encodeURIComponent(password)
  return changed
}

/**
 * The address that follows another one. Credentials stay with the repository that they were given for: whoever may change
 * the address is not thereby let in to all that they open on the same server.
 * @param given without credentials of its own, or with the stars that are shown in their place
 */
export function followingAddress(given: URL, before: URL | null): URL {
  const isShown = given.username === stars && given.password === stars
  const hasNone = given.username === '' && given.password === ''
  if (!isShown && !hasNone) return given
  const keeps = before !== null && withoutLogin(given) === withoutLogin(before)
  const next = new URL(given)
  next.username = keeps ? before.username : ''
  next.password = keeps ? before.password : ''
  return next
}
